import type { PlayPartDeps } from "../../../play-base/play-deps.ts";
import type { Agents } from "../../play/agents/index.ts";
import type { Enforcer } from "../../play/control/index.ts";
import type { Play } from "../../play/session/index.ts";
import type { Auth } from "../../players/auth/index.ts";
import type { Calls } from "../calls/index.ts";
import type { OperationAnswer, OperationBody, OperationKind } from "./kinds.ts";

type About = { readonly machineId: string; readonly by: string };

/** One function for each kind: does it and says what became of it. */
export type Operations = {
  readonly [K in OperationKind]: (about: About, body: OperationBody<K>) => Promise<OperationAnswer>;
};

/** What the operations are made of. */
export type OperationParts = {
  readonly deps: PlayPartDeps;
  readonly agents: Pick<Agents, "ask" | "keyChanged">;
  readonly play: Pick<Play, "confirmHandPay" | "endSessionAt" | "endSessionsOf">;
  readonly control: Pick<Enforcer, "carryOut">;
  readonly auth: Pick<Auth, "end">;
  readonly calls: Pick<Calls, "changed">;
};
