/** Where the signatures of a document stand: beside it, as cosign and gpg put them. */
export function signatureFiles(file: string): { readonly bundle: string; readonly armored: string } {
  return { bundle: `${file}.sigstore.json`, armored: `${file}.asc` };
}
