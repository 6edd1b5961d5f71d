import type { CorrectCommand, HoldCommand, PostCommand, TransferCommand, TransferKind } from "../rules/commands.ts";
import type { Refused } from "../rules/outcome.ts";

/** What a scenario drives: the ledger itself or the pure book. */
export type Driven = {
  transfer(command: TransferCommand): Answered;
  hold(command: HoldCommand): Answered;
  post(command: PostCommand): Answered;
  void(holdId: string): Answered;
  correct(command: CorrectCommand): Answered;
  account(address: string): MaybeLater<{ balanceMinor: number; heldMinor: number }>;
};
type MaybeLater<T> = T | Promise<T>;
type Answered = MaybeLater<{ readonly is: "done"; readonly replayed: boolean } | Refused>;

/**
 * Plays a text table, one step a line, and gives it back with what really happened at the end of each line: compare the two.
 *
 *     deposit  d1 player:ann 5000                        ok
 *     move     t1 game player:ann > house 200            ok
 *     hold     h1 cashIn player:ann > machine:m7 2000    ok | replayed | wallet.insufficient_funds
 *     post     h1 1500 [as p1]                           ok
 *     void     h1                                        ok
 *     correct  c1 t1 [100]                               ok
 *     account  player:ann                                balance 5000 held 0
 */
export async function ledgerScenario(driven: Driven, table: string): Promise<{ happened: string; wanted: string }> {
  const happened: string[] = [];
  const wanted: string[] = [];
  for (const line of table.split("\n")) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "" || words[0]?.startsWith("#")) continue;
    const step = readStep(words);
    wanted.push(`${step.asked} ${step.outcome}`);
    happened.push(`${step.asked} ${await step.play(driven)}`);
  }
  return { happened: happened.join("\n"), wanted: wanted.join("\n") };
}

type Step = { asked: string; outcome: string; play(driven: Driven): Promise<string> };

function readStep(words: readonly string[]): Step {
  const [verb = ""] = words;
  const outcomeWords = verb === "account" ? 4 : 1;
  const asked = words.slice(0, -outcomeWords);
  const play = plays[verb];
  if (!play) throw new Error(`a scenario has no step "${verb}"`);
  return {
    asked: asked.join(" "),
    outcome: words.slice(-outcomeWords).join(" "),
    play: (driven) => play(driven, asked.slice(1)),
  };
}

const plays: Record<string, (driven: Driven, words: readonly string[]) => Promise<string>> = {
  deposit: (driven, [id = "", to = "", amount]) =>
    told(driven.transfer({ id, kind: "deposit", from: "cage", to, amountMinor: Number(amount) })),
  withdraw: (driven, [id = "", from = "", amount]) =>
    told(driven.transfer({ id, kind: "withdraw", from, to: "cage", amountMinor: Number(amount) })),
  move: (driven, words) => told(driven.transfer(moveOf(words))),
  hold: (driven, words) => told(driven.hold(moveOf(words))),
  post: (driven, [holdId = "", amount, as, id]) =>
    told(driven.post({ holdId, amountMinor: Number(amount), ...(as === "as" && id !== undefined ? { id } : {}) })),
  void: (driven, [holdId = ""]) => told(driven.void(holdId)),
  correct: (driven, [id = "", transferId = "", amount]) =>
    told(
      driven.correct({
        id,
        transferId,
        actor: "staff:tess",
        reason: "told twice",
        ...(amount === undefined ? {} : { amountMinor: Number(amount) }),
      }),
    ),
  account: async (driven, [address = ""]) => {
    const { balanceMinor, heldMinor } = await driven.account(address);
    return `balance ${balanceMinor} held ${heldMinor}`;
  },
};

function moveOf([id = "", kind, from = "", , to = "", amount]: readonly string[]): TransferCommand {
  return { id, kind: kind as TransferKind, from, to, amountMinor: Number(amount) };
}

async function told(answered: Answered): Promise<string> {
  const answer = await answered;
  if (answer.is === "refused") return answer.problem.name;
  return answer.replayed ? "replayed" : "ok";
}
