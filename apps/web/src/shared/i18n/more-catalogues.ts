/** Catalogues that no first page needs; their names alone weigh a KiB. */
export const moreFiles = import.meta.glob<Readonly<Record<string, string>>>(
  ["./catalogues/*/*.json", "!./catalogues/*/{app,auth,claims,code,lobby,shell,wallet}.json"],
  { import: "default" },
);
