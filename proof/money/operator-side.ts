import { WALLET_ANSWER_MS } from "@longarm/contract/remote-wallet";
import type { Ask } from "../../apps/platform/src/modules/remote-wallet/index.ts";
import { SimulatedWallet } from "../../rig/simulated-wallet/wallet.ts";
import { CallLine } from "./call-line.ts";
import type { Gate } from "./database.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";

/** Where the players' money is while it is on no machine: in our ledger, or in a wallet of the operator's (record 0243). */
export const WALLET_KINDS = ["own", "operator"] as const;
export type WalletKind = (typeof WALLET_KINDS)[number];

type OperatorParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly count: (fault: string) => void;
  /** A planted bug: a debit without an answer counts as refused. */
  readonly silenceIsNo: boolean;
};

/** The operator's own wallet, on another computer. */
export class OperatorSide {
  readonly wallet = new SimulatedWallet();
  readonly line: CallLine;
  readonly #silenceIsNo: boolean;

  constructor({ silenceIsNo, ...parts }: OperatorParts) {
    this.line = new CallLine({ ...parts, to: "the operator's wallet", answerMs: WALLET_ANSWER_MS });
    this.#silenceIsNo = silenceIsNo;
  }

  /** Calls as one life of the platform makes them. */
  askOf(life: Life): Ask {
    return async (call, body) => {
      const came = await this.line.call(life, () => this.wallet.take(call, body));
      const isNo = came.is === "nothing" && this.#silenceIsNo && call === "debit";
      return (isNo ? { is: "said", answer: { is: "refused", reason: "notNow" } } : came) as Awaited<
        ReturnType<Ask>
      > as never;
    };
  }
}

type OperatorBooks = { readonly operator: OperatorSide | undefined; readonly gate: Pick<Gate, "read"> };
type Moved = {
  readonly id: string;
  readonly player: string;
  readonly kind: string;
  readonly amount: number;
  readonly state: string;
};

/** What is not at its end yet: movements, and money of players that is still here. */
export async function operatorUnrest({ operator, gate }: OperatorBooks): Promise<string[]> {
  if (operator === undefined) return [];
  const open = await gate.read<Moved>(
    `select id, player_id as player, kind, amount, state from remote_move where state not in ('refused', 'booked', 'undone', 'done')`,
  );
  const here = await gate.read<{ address: string; balance: number }>(
    "select address, balance_minor as balance from ledger.accounts where address like 'player:%' and balance_minor <> 0",
  );
  return [
    ...open.map(({ id, kind, state }) => `the ${kind} ${id} is ${state}`),
    ...here.map(({ address, balance }) => `${balance} of ${address} are here`),
  ];
}

/** Each movement has the same end in our rows, in our ledger and in the operator's own memory; neither side has one that the other has not. */
export async function operatorWrong({ operator, gate }: OperatorBooks): Promise<string[]> {
  if (operator === undefined) return [];
  const rows = await gate.read<Moved>("select id, player_id as player, kind, amount, state from remote_move");
  const booked = await gate.read<{ id: string; kind: string; amount: number }>(
    `select id, kind, amount_minor as amount from ledger.transfers where about ->> 'way' = 'remoteWallet'`,
  );
  const there = new Map(operator.wallet.movements());
  const here = new Map(booked.map((one) => [one.id, one]));
  const wrong: string[] = [];
  for (const { id, player, kind, amount, state } of rows) {
    const moves = state === "booked" || state === "done";
    const [its, ours] = [there.get(id), here.get(id)];
    const isThere = its !== undefined && !its.undone;
    if (isThere !== moves || (its && (its.call !== kind || its.player !== player || its.amount !== amount)))
      wrong.push(
        `the ${kind} ${id} of ${amount} is ${state} here, and ${JSON.stringify(its)} in the operator's wallet`,
      );
    const entry = kind === "debit" ? "deposit" : "withdraw";
    if (moves ? ours?.kind !== entry || ours.amount !== amount : ours !== undefined)
      wrong.push(`the ${kind} ${id} of ${amount} is ${state}, and the ledger has ${JSON.stringify(ours)}`);
    there.delete(id);
    here.delete(id);
  }
  for (const id of there.keys()) wrong.push(`the operator's wallet has ${id}, which is not written down here`);
  for (const id of here.keys()) wrong.push(`the ledger has ${id}, which is not written down as a movement`);
  return wrong;
}
