import type { Ledger } from "@longarm/ledger/ledger";
import type { Kysely } from "kysely";
import type { Bus } from "../../../bus/index.ts";
import type { Log } from "../../../log.ts";
import type { OperationAnswer, OperationKind, OperationOrder } from "../../play/operations/index.ts";
import type { Notices } from "../../players/auth/index.ts";
import type { ActDeps, Execute } from "../sign-in/index.ts";
import { Refused } from "../sign-in/index.ts";
import type { SetTargets, Tasks } from "../tasks/index.ts";

/** What the acts of the desk and the floor work with. */
export type DeskDeps = ActDeps & {
  /** The whole database, for reading beyond the staff's tables. */
  readonly source: Kysely<unknown>;
  readonly ledger: Ledger;
  readonly bus: Pick<Bus, "publish">;
  readonly targets: SetTargets;
  readonly tasks: Tasks;
  /** False: a venue of one person, by a setting of the server. */
  readonly secondPerson: boolean;
  /** Players' money is in a wallet of the operator. */
  readonly operatorWallet: boolean;
  /** Mails to players about their accounts; null: there is no mail server. */
  readonly notices: Notices | null;
  readonly dayBeginsMinutes: number;
  readonly timeZone: string;
  /** Has the running platform do something, on the node that can. */
  ask<K extends OperationKind>(operation: OperationOrder<K>): Promise<OperationAnswer>;
};

/** What acts alone need of it: the command line has no tasks and no log of the platform. */
export type ActsDeps = Omit<DeskDeps, "tasks" | "targets" | "log"> & { readonly log: Pick<Log, "error"> };

/** What is done when a second person has signed, by the kind of the approval. */
export type Executes = Readonly<Record<string, Execute>>;

/** Something that only the running platform can do. @throws Refused: it was not done. */
export async function askOrRefuse<K extends OperationKind>(
  { ask }: Pick<DeskDeps, "ask">,
  operation: OperationOrder<K>,
): Promise<OperationAnswer> {
  const answer = await ask(operation);
  if (answer.is !== "refused") return answer;
  throw new Refused(answer.notAccepted ? "act.outOfReach" : "act.refused", { sentence: answer.sentence });
}

/** When the venue's business day of this instant began. */
export function dayBegan(
  now: Date,
  { timeZone, dayBeginsMinutes }: Pick<DeskDeps, "timeZone" | "dayBeginsMinutes">,
): Date {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(now);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const minutes = part("hour") * 60 + part("minute");
  const since = (minutes - dayBeginsMinutes + 1_440) % 1_440;
  return new Date(now.getTime() - since * 60_000 - part("second") * 1_000 - now.getMilliseconds());
}
