/** A field of an API that names an image and that no webhook of ours judges. */
export type UncoveredField = { readonly api: string; readonly field: string; readonly why: string };

/** Every other field of Kubernetes 1.36 that names an image or may lead to one, and why it is not judged. */
export const UNCOVERED_IMAGE_FIELDS: readonly UncoveredField[] = [
  {
    api: 'v1 Pod',
    field: 'status.containerStatuses[].image, .imageID, and those of init and ephemeral containers',
    why: 'written by the kubelet after the image was started; nothing is started from it',
  },
  {
    api: 'v1 Pod',
    field: 'status.containerStatuses[].volumeMounts[].volumeStatus.image.imageRef',
    why: 'written by the kubelet after the image volume was mounted',
  },
  { api: 'v1 Node', field: 'status.images[].names', why: 'written by the kubelet: a list of what lies on the node' },
  {
    api: 'v1 Pod, v1 PersistentVolume',
    field: 'volumes[].rbd.image, spec.rbd.image',
    why: 'a block device of Ceph, no container image',
  },
  {
    api: 'v1 Pod, v1 PersistentVolume, storage.k8s.io/v1 StorageClass',
    field: 'csi.volumeAttributes, flexVolume.options, parameters',
    why: 'free text for a driver; a driver that mounts images has to check them itself',
  },
  {
    api: 'v1 PersistentVolumeClaim',
    field: 'spec.dataSourceRef',
    why: 'may refer to a custom resource that fills the volume from an image',
  },
  {
    api: 'apps/v1 ControllerRevision',
    field: 'data.spec.template',
    why: 'an old template of a StatefulSet or DaemonSet; the Pods made from it are judged',
  },
  {
    api: 'resource.k8s.io/v1 ResourceClaim, ResourceClaimTemplate, DeviceClass',
    field: 'spec.devices.config[].opaque.parameters',
    why: 'free configuration for a driver; Kubernetes starts no image from it',
  },
  {
    api: 'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy',
    field: 'spec.mutations[]',
    why: 'expressions that may write images into Pods; validation comes after them and judges the result',
  },
  {
    api: 'imagepolicy.k8s.io/v1alpha1 ImageReview',
    field: 'spec.containers[].image',
    why: 'a question of the API server to another webhook; it is never stored',
  },
  {
    api: 'apps/v1beta1, apps/v1beta2, extensions/v1beta1, batch/v1beta1',
    field: 'the templates of their workloads',
    why: 'not served since 1.16 and 1.25; a manifest with one is reported as not covered',
  },
  {
    api: 'custom resources',
    field: 'any',
    why: 'what they mean is their controller’s matter; the Pods that it makes are judged',
  },
  {
    api: 'none: files and flags of the node',
    field: 'static Pods, the sandbox image of the container runtime',
    why: 'started by the kubelet without the API server; refusing the mirror Pod does not stop a static Pod',
  },
];
