{{- define "colophon-admission.labels" -}}
app.kubernetes.io/name: colophon-admission
{{- end -}}

{{- define "colophon-admission.certificateLabels" -}}
app.kubernetes.io/name: colophon-admission-certificates
{{- end -}}

{{- define "colophon-admission.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "colophon-admission.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Fails where two entries of a list have one name: the second object, or key, would stand in place of the first. */}}
{{- define "colophon-admission.mustDiffer" -}}
{{- $seen := dict }}
{{- range .entries }}
{{- $name := get . $.by }}
{{- if hasKey $seen $name }}
{{- fail (printf "%s: two entries of %s %s" $.list $.by $name) }}
{{- end }}
{{- $_ := set $seen $name true }}
{{- end }}
{{- end -}}

{{/*
Each once: those of the system, without which no cluster starts, and last the release's own. That is never `default`, where
Helm installs what names no namespace: the Pods that anybody makes there would not be looked at.
*/}}
{{- define "colophon-admission.excluded" -}}
{{- if eq .Release.Namespace "default" }}
{{- fail "the namespace of the release is not looked at, and this is default: name one of its own, e.g. --namespace colophon-system --create-namespace" }}
{{- end -}}
{{ append (concat (list "kube-system" "kube-node-lease") .Values.excludedNamespaces) .Release.Namespace | uniq | toJson }}
{{- end -}}

{{- define "colophon-admission.failurePolicy" -}}
{{ .Values.failurePolicy | default (ternary "Fail" "Ignore" (eq .Values.mode "enforce")) }}
{{- end -}}

{{- define "colophon-admission.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* What both webhooks have. */}}
{{- define "colophon-admission.webhook" -}}
admissionReviewVersions: [v1]
sideEffects: NoneOnDryRun
timeoutSeconds: 10
failurePolicy: {{ include "colophon-admission.failurePolicy" . }}
matchPolicy: Equivalent
# An update that leaves all images as they are is not sent: during an outage labels, finalizers and rollouts go on.
matchConditions:
  - name: images-may-change
    expression: >-
      request.operation != 'UPDATE' || !has(object.spec) || !has(oldObject.spec) ||
      (has(object.spec.template) && has(oldObject.spec.template)
      ? object.spec.template != oldObject.spec.template
      : object.spec != oldObject.spec)
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: {{ include "colophon-admission.excluded" . }}
{{- end -}}

{{/* The Pod of the certificates command. */}}
{{- define "colophon-admission.certificatesPod" -}}
serviceAccountName: colophon-admission-certificates
automountServiceAccountToken: true
enableServiceLinks: false
restartPolicy: OnFailure
{{- include "colophon-admission.pullSecrets" . }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: certificates
    image: {{ include "colophon-admission.image" . | quote }}
    args:
      - admission
      - certificates
      {{- if ne .Release.Namespace "colophon-system" }}
      - --namespace
      - {{ .Release.Namespace | quote }}
      {{- end }}
      {{- if ne .Values.certificates.lifetime "90d" }}
      - --lifetime
      - {{ .Values.certificates.lifetime | quote }}
      {{- end }}
    securityContext:
      {{- include "colophon-admission.restricted" . | nindent 6 }}
    resources:
      requests:
        cpu: 50m
        memory: 128Mi
      limits:
        memory: 256Mi
    volumeMounts:
      - name: tmp
        mountPath: /tmp
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 16Mi
{{- end -}}
