/** A type of data that nobody changes, however deep it lies. */
export type ReadOnly<T> =
  T extends Array<infer Item>
    ? ReadonlyArray<ReadOnly<Item>>
    : T extends object
      ? { readonly [Key in keyof T]: ReadOnly<T[Key]> }
      : T;
