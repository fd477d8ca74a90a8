/** Machines, systems and runtimes that RubyGems appends to a version. */
const PLATFORM =
  /^([^-]+)-(?:java|jruby|ruby|dalvik[0-9]*|dotnet[0-9.]*|macruby|mswin(?:32|64)?|mingw(?:32)?|(?:x86|x86_64|x64|i[3-7]86|amd64|arm(?:64|v[0-9][a-z]*)?|aarch64|universal|ppc(?:64(?:le)?)?|powerpc(?:64(?:le)?)?|s390x?|riscv(?:32|64)|loongarch64|mips[0-9a-z]*|sparc[0-9a-z]*)-[0-9a-z][0-9a-z_.-]*)$/i;

/**
 * A gem's version without the platform behind it, as lockfiles and package URLs write it: `1.16.2` of
 * `1.16.2-x86_64-linux`. The same version is built for each platform from one source.
 * @see Gem::Platform
 */
export function withoutGemPlatform(version: string): string {
  return PLATFORM.exec(version)?.[1] ?? version;
}
