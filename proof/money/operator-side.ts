import { WALLET_ANSWER_MS } from "@longarm/contract/remote-wallet";
import type { Ask } from "../../apps/platform/src/modules/remote-wallet/index.ts";
import { SimulatedWallet } from "../../rig/simulated-wallet/wallet.ts";
import type { Gate } from "./database.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";

/** Where the players' money is while it is on no machine: in our ledger, or in a wallet of the operator's (record 0243). */
export const WALLET_KINDS = ["own", "operator"] as const;
export type WalletKind = (typeof WALLET_KINDS)[number];

/**
 * Shares of calls that go wrong. `lost`: never arrives. `unanswered`: is done, and its answer is lost. `refusing`: an error of the wallet, before or
 * after it was done. `late`: arrives after the platform has given it up, and so perhaps after its own undo.
 */
export type OperatorWeather = {
  readonly lost: number;
  readonly unanswered: number;
  readonly refusing: number;
  readonly late: number;
};
export const FRIENDLY: OperatorWeather = { lost: 0, unanswered: 0, refusing: 0, late: 0 };

const TRAVEL_MS_MAX = 30;
const LATE_MS_MAX = 18_000;

type OperatorParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly count: (fault: string) => void;
  /** A planted bug: a debit without an answer counts as refused. */
  readonly silenceIsNo: boolean;
};

/** The operator's own wallet, at the end of a line that loses calls and answers. It is another computer: it lives on when the platform dies. */
export class OperatorSide {
  readonly wallet = new SimulatedWallet();
  weather = FRIENDLY;
  readonly #parts: OperatorParts;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /** Calls as one life of the platform makes them. */
  askOf(life: Life): Ask {
    const { schedule, chance, silenceIsNo } = this.#parts;
    const clock = schedule.clockOf(life);
    const pass = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
    return async (call, body) => {
      const said = (answer: object) => ({ is: "said", answer }) as Awaited<ReturnType<Ask>> as never;
      const nothing = (why: string) =>
        silenceIsNo && call === "debit" ? said({ is: "refused", reason: "notNow" }) : ({ is: "nothing", why } as const);
      const fault = this.#fault();
      const travelMs = chance.next() * TRAVEL_MS_MAX;
      const arrivesMs = fault === "late" ? WALLET_ANSWER_MS + chance.next() * LATE_MS_MAX : travelMs;
      // Not of the caller's life: what has left it arrives, whatever becomes of it.
      const answered = new Promise<{ readonly status: number; readonly body: object }>((resolve) => {
        if (fault === "lost" || fault === "refusedBefore") return;
        schedule.after(arrivesMs, () => resolve(this.wallet.take(call, body)));
      });
      if (fault === "refusedBefore" || fault === "refusedAfter") {
        await pass(2 * travelMs);
        return nothing("HTTP 500");
      }
      if (fault !== undefined) {
        await pass(WALLET_ANSWER_MS);
        return nothing("no answer in time");
      }
      const { status, body: answer } = await answered;
      await pass(travelMs);
      return status === 200 ? said(answer) : nothing(`HTTP ${status}`);
    };
  }

  #fault(): (typeof FAULTS)[number] | undefined {
    const { lost, unanswered, refusing, late } = this.weather;
    const shares = { lost, unanswered, refusedBefore: refusing / 2, refusedAfter: refusing / 2, late };
    let drawn = this.#parts.chance.next();
    for (const fault of FAULTS) {
      if (drawn < shares[fault]) {
        this.#parts.count(`call to the operator's wallet: ${fault}`);
        return fault;
      }
      drawn -= shares[fault];
    }
    return undefined;
  }
}

const FAULTS = ["lost", "unanswered", "refusedBefore", "refusedAfter", "late"] as const;

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
