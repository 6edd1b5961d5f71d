import type { Proof, Scope } from "../../modules/play/reconciliation/index.ts";
import { prove } from "../../modules/play/reconciliation/index.ts";
import { CheckFailed, command, UsageProblem } from "../command.ts";
import { checkPeriod, instant, option, plainText } from "../fields.ts";
import { count, printableLine, writeAmount } from "../output.ts";

export const reconcile = command({
  name: "reconcile",
  about: "prove that play sessions, games, transfers, machines' meters and the ledger add up exactly",
  more: [
    "  longarm reconcile",
    "  longarm reconcile --from 2026-11-01 --to 2026-12-01",
    "  longarm reconcile --session ps_4mJt0XcV…",
    "",
    "Reads one snapshot beside the running platform and changes nothing. Without a period everything is proved. Exit code 1: something does not",
    "add up, or a difference waits for an explanation, and each line says what.",
  ].join("\n"),
  options: {
    from: option("<day>", "from this day or instant on, UTC: 2026-11-01 or 2026-11-01T18:00Z", instant),
    to: option("<day>", "before this day or instant", instant),
    session: option("<id>", "only this play session", plainText),
  },
  check({ from, to, session }) {
    if (session !== undefined && (from || to)) throw new UsageProblem("Name either a period or a play session.");
    checkPeriod(from, to);
  },
  async run({ db, say }, { from = null, to = null, session }) {
    const period: Scope = from || to ? { is: "period", from, to } : { is: "all" };
    const proof = await prove(db, session === undefined ? period : { is: "session", id: session });
    for (const line of linesOf(proof)) say(line);
    if (!proof.agrees) throw new CheckFailed(conclusion(proof), proof);
    say(conclusion(proof));
    return proof;
  },
});

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
  const proved = [
    count(transfers, "transfer"),
    `${writeAmount(movedMinor)} moved`,
    count(sessions, "play session"),
    count(games, "game"),
    count(readings, "meter reading"),
  ];
  const wrong = checks.reduce((sum, check) => sum + check.count, 0);
  return `${agrees ? "Everything adds up" : `${count(wrong, "line")} ${wrong === 1 ? "does" : "do"} not add up`}: ${proved.join(", ")}.`;
}
