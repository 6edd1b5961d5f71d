/** The catalogue files of the template: all that load-catalogue.ts does not list. */
export const templateFiles = import.meta.glob<Readonly<Record<string, string>>>(
  [
    "./catalogues/*/*.json",
    "!./catalogues/*/{app,auth,claims,code,connection,gates,history,lobby}.json",
    "!./catalogues/*/{lock,logType,play,profile,reconnect,shell,wallet}.json",
  ],
  { import: "default" },
);
