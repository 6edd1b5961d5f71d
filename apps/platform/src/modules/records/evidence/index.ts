export type { Evidence, EvidenceDeps } from "./evidence.ts";
export { makeEvidence, noteExport } from "./evidence.ts";
export { createSampler, listSamples } from "./samples.ts";
