import { createHash } from 'node:crypto';

/** What an API server sends about one Pod of a ReplicaSet, some 6 KB, with the fields that it manages itself. */
export function podReview(index: number, image: string): object {
  const uid = uuidOf(`review ${index}`);
  const name = `cart-7c9d8b6f5-${createHash('sha256').update(`pod ${index}`).digest('hex').slice(0, 5)}`;
  const object = pod(name, image);
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      name,
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        uid: uuidOf('controller'),
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${uuidOf('token')}`] },
      },
      object,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  };
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const LABELS = {
  'app.kubernetes.io/component': 'backend',
  'app.kubernetes.io/instance': 'cart',
  'app.kubernetes.io/name': 'cart',
  'app.kubernetes.io/part-of': 'webshop',
  'app.kubernetes.io/version': '4.18.2',
  'pod-template-hash': '7c9d8b6f5',
};
const ANNOTATIONS = {
  'checksum/config': createHash('sha256').update('config').digest('hex'),
  'kubectl.kubernetes.io/restartedAt': '2026-11-20T09:14:02Z',
  'prometheus.io/path': '/metrics',
  'prometheus.io/port': '9090',
  'prometheus.io/scrape': 'true',
};
const VARIABLES = ['LOG_LEVEL', 'HTTP_PORT', 'CART_TTL_SECONDS', 'CURRENCY', 'OTEL_SERVICE_NAME', 'REGION'];
const SECRETS = ['DATABASE_URL', 'REDIS_URL', 'PAYMENT_TOKEN'];
const TOKEN_VOLUME = 'kube-api-access-7xk2p';
const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

function pod(name: string, image: string): object {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-7c9d8b6f5', uid: uuidOf('replica set') };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      generateName: 'cart-7c9d8b6f5-',
      namespace: 'shop',
      uid: uuidOf(name),
      creationTimestamp: '2026-11-21T10:15:42Z',
      labels: LABELS,
      annotations: ANNOTATIONS,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-11-21T10:15:42Z',
          fieldsType: 'FieldsV1',
          fieldsV1: managedFields(),
        },
      ],
    },
    spec: {
      volumes: [
        {
          name: TOKEN_VOLUME,
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
            defaultMode: 420,
          },
        },
        { name: 'config', configMap: { name: 'cart-config', defaultMode: 420 } },
        { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      ],
      containers: [container(image)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'cart',
      serviceAccount: 'cart',
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10001,
        fsGroup: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((what) => ({
        key: `node.kubernetes.io/${what}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {},
  };
}

function container(image: string): object {
  const probe = (path: string) => ({
    httpGet: { path, port: 'http', scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  return {
    name: 'cart',
    image,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      ...VARIABLES.map((name) => ({ name, value: name.toLowerCase() })),
      ...SECRETS.map((name) => ({
        name,
        valueFrom: { secretKeyRef: { name: 'cart-secrets', key: name.toLowerCase() } },
      })),
    ],
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
    volumeMounts: [
      { name: 'config', readOnly: true, mountPath: '/etc/cart' },
      { name: 'tmp', mountPath: '/tmp' },
      { name: TOKEN_VOLUME, readOnly: true, mountPath: TOKEN_FOLDER },
    ],
    livenessProbe: probe('/livez'),
    readinessProbe: probe('/readyz'),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: {
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    },
  };
}

/** Which fields the controller set, as server-side apply writes them down. */
function managedFields(): object {
  const each = (names: readonly string[], prefix = 'f:') =>
    Object.fromEntries(names.map((name) => [`${prefix}${name}`, {}]));
  const named = (member: string, name: string, fields: readonly string[]) => ({
    [`k:{"${member}":"${name}"}`]: { '.': {}, ...each([member, ...fields]) },
  });
  const all = (...parts: object[]) => Object.assign({ '.': {} }, ...parts);
  const probe = all(each(['failureThreshold', 'periodSeconds', 'successThreshold', 'timeoutSeconds']), {
    'f:httpGet': all(each(['path', 'port', 'scheme'])),
  });
  return {
    'f:metadata': {
      'f:annotations': all(each(Object.keys(ANNOTATIONS))),
      'f:generateName': {},
      'f:labels': all(each(Object.keys(LABELS))),
      'f:ownerReferences': all({ [`k:{"uid":"${uuidOf('replica set')}"}`]: {} }),
    },
    'f:spec': {
      'f:containers': {
        'k:{"name":"cart"}': all(each(['image', 'imagePullPolicy', 'name', 'terminationMessagePath']), {
          'f:env': all(
            ...VARIABLES.map((name) => named('name', name, ['value'])),
            ...SECRETS.map((name) => named('name', name, ['valueFrom'])),
          ),
          'f:livenessProbe': probe,
          'f:readinessProbe': probe,
          'f:ports': all(named('containerPort', '8080', ['name', 'protocol'])),
          'f:volumeMounts': all(
            named('mountPath', '/etc/cart', ['name', 'readOnly']),
            named('mountPath', '/tmp', ['name']),
          ),
        }),
      },
      ...each(['dnsPolicy', 'enableServiceLinks', 'restartPolicy', 'schedulerName', 'serviceAccount']),
      'f:volumes': all(named('name', 'config', ['configMap']), named('name', 'tmp', ['emptyDir'])),
    },
  };
}
