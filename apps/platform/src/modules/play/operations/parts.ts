import type { Auth } from "../../players/auth/index.ts";
import type { Agents } from "../agents/index.ts";
import type { Calls } from "../calls.ts";
import type { Enforcer } from "../control/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { Queues } from "../queue/index.ts";
import type { Reconciliation } from "../reconciliation/index.ts";
import type { PlaySessions } from "../session/index.ts";
import type { Wallet } from "../wallet/index.ts";
import type { OperationAnswer, OperationBody, OperationKind } from "./kinds.ts";

type About = { readonly machineId: string; readonly by: string };

/** One function for each kind: does it and says what became of it. */
export type Operations = {
  readonly [K in OperationKind]: (about: About, body: OperationBody<K>) => Promise<OperationAnswer>;
};

/** What the operations are made of. */
export type OperationParts = {
  readonly deps: PlayDeps;
  readonly agents: Pick<Agents, "request" | "keyChanged" | "release">;
  readonly sessions: Pick<PlaySessions, "confirmHandPay" | "endSessionAt" | "endSessionsOf">;
  readonly control: Pick<Enforcer, "carryOut">;
  readonly auth: Pick<Auth, "end">;
  readonly calls: Pick<Calls, "changed">;
  readonly queues: Pick<Queues, "changedAt">;
  readonly wallet: Wallet;
  readonly reconciliation: Pick<Reconciliation, "readNow">;
};
