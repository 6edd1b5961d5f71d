/** What a package of native code says about the computers it fits, in the fields of a lock file. */
export interface Platform {
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32", "aix"];
const processors = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const libraries = new Map([
  ["musl", "musl"],
  ["musleabihf", "musl"],
  ["gnu", "glibc"],
  ["gnueabihf", "glibc"],
]);

/**
 * Reads the platform out of a package's name, as all makers of native packages write it: `…-linux-arm64-musl`.
 * Undefined when the name says nothing; such a package must not be guessed at.
 */
export function platformInName(name: string): Platform | undefined {
  const words = name.split(/[-/_]/);
  const system = words.find((word) => systems.includes(word));
  const processor = words.find((word) => processors.includes(word));
  if (processor === undefined || (system === undefined && processor !== "wasm32")) return undefined;
  const library = words.map((word) => libraries.get(word)).find((found) => found !== undefined);
  return {
    ...(system === undefined ? {} : { os: [system] }),
    cpu: [processor],
    ...(system === "linux" && library !== undefined ? { libc: [library] } : {}),
  };
}
