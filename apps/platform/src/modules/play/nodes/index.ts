export type { Nodes } from "./nodes.ts";
export { createNodes, endedNodes, NodeNameTaken } from "./nodes.ts";
export type { NodesTables } from "./tables.ts";
