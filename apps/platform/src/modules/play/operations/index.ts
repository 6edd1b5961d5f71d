import { operationHandlers } from "./handlers.ts";
import type { OperationParts } from "./parts.ts";
import { Taker } from "./taker.ts";

export { type AskDeps, askOperation, type OperationOrder } from "./ask.ts";
export { type FloorRow, listFloor } from "./floor.ts";
export { type Owed, owedAt } from "./handlers.ts";
export type { OperationAnswer, OperationKind } from "./kinds.ts";
export { listPlaySessions, type PlaySessionRow } from "./play-sessions.ts";

/** What staff asks of the running platform from another process. */
export interface OperationsDesk {
  start(): void;
  close(): Promise<void>;
}

export function createOperations(parts: OperationParts): OperationsDesk {
  return new Taker(parts.deps, operationHandlers(parts));
}
