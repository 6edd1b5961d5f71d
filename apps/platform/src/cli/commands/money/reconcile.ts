import type { Proof, Scope } from "../../../modules/play/reconciliation/index.ts";
import { prove } from "../../../modules/play/reconciliation/index.ts";
import { writeAmount } from "../../amount.ts";
import type { Command, Given } from "../../command.ts";
import { NotAsItMustBe, UsageProblem } from "../../command.ts";
import { count } from "../../output/table.ts";
import { printableLine } from "../../printable.ts";
import { readPast } from "../../reading/times.ts";

/** Proves that sessions, games, transfers, machines and the ledger add up. */
export const reconcile: Command = {
  words: "reconcile",
  about: "prove that play sessions, games, transfers, machines' meters and the ledger add up exactly",
  more: [
    "  longarm reconcile",
    "  longarm reconcile --from 2026-11-01 --to 2026-12-01",
    "  longarm reconcile --session ps_4mJt0XcV…",
    "",
    "Reads one snapshot beside the running platform and changes nothing. Without a period all there is is proved. Exit code 1: something does not",
    "add up, or a difference waits for an explanation, and each line says what.",
  ].join("\n"),
  options: {
    from: {
      type: "string",
      value: "<day>",
      about: "from this day or instant on, UTC: 2026-11-01 or 2026-11-01T18:00Z",
    },
    to: { type: "string", value: "<day>", about: "before this day or instant" },
    session: { type: "string", value: "<id>", about: "only this play session" },
  },
  prepare(given) {
    const scope = readScope(given);
    return async ({ db, say }) => {
      const proof = await prove(db, scope);
      for (const line of linesOf(proof)) say(line);
      if (!proof.agrees) throw new NotAsItMustBe(conclusion(proof), proof);
      say(conclusion(proof));
      return proof;
    };
  },
};

/** @throws UsageProblem. */
function readScope(given: Given): Scope {
  const [from, to] = (["from", "to"] as const).map((name) => {
    const text = given.get(name)?.toString();
    return text === undefined ? null : readPast(name, text);
  });
  const id = given.get("session")?.toString();
  if (id !== undefined) {
    if (from || to) throw new UsageProblem("Name either a period or a play session.");
    if (id.includes("\0") || !id.isWellFormed()) throw new UsageProblem("--session must be plain text.");
    return { is: "session", id };
  }
  if (from && to && from >= to) throw new UsageProblem("--from must be before --to.");
  return from || to ? { is: "period", from: from ?? null, to: to ?? null } : { is: "all" };
}

function linesOf({ checks }: Proof): string[] {
  return checks.flatMap(({ name, about, count: wrong, breaches }) => {
    if (wrong === 0) return [`ok     ${name}: ${about}`];
    const more = wrong > breaches.length ? [`         … and ${wrong - breaches.length} more`] : [];
    return [
      `WRONG  ${name}: not so: ${about}`,
      ...breaches.map(({ subject, detail }) => printableLine(`         ${subject}: ${detail}`)),
      ...more,
    ];
  });
}

function conclusion({ agrees, figures, checks }: Proof): string {
  const { transfers, movedMinor, sessions, games, readings } = figures;
  const much = [
    count(transfers, "transfer"),
    `${writeAmount(movedMinor)} moved`,
    count(sessions, "play session"),
    count(games, "game"),
    count(readings, "meter reading"),
  ];
  const wrong = checks.reduce((sum, check) => sum + check.count, 0);
  return `${agrees ? "Everything adds up" : `${count(wrong, "line")} ${wrong === 1 ? "does" : "do"} not add up`}: ${much.join(", ")}.`;
}
