export type { Evidence, EvidenceDeps } from "./evidence.ts";
export { gatherGame, makeEvidence, noteExport } from "./evidence.ts";
