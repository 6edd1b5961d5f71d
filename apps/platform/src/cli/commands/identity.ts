import {
  decideIdentity,
  eraseRecord,
  IDENTITY_DECISIONS,
  identityOf,
  keepRecord,
} from "../../modules/protection/identity/index.ts";
import type { Command } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, day, oneOf, option, requiredReason, USERNAME } from "../fields.ts";
import { printableLine } from "../output.ts";
import { asStaff, namedPlayer } from "../staff.ts";

const show = command({
  name: "identity show",
  about: "show whether a player's identity and age are proved",
  more: "  longarm identity show deniz.aydin",
  arguments: { username: USERNAME },
  async run({ db, say }, { username }) {
    const player = await namedPlayer(db, username);
    const { playerId: _, ...identity } = await identityOf(db, player.id);
    const { state, age, validUntil, document, personalNumber } = identity;
    const facts = [
      age === null ? "age unknown" : `${age} years`,
      ...(document === null ? [] : [document]),
      ...(personalNumber === null ? [] : ["a personal number is kept"]),
      ...(validUntil === null ? [] : [`valid until ${validUntil}`]),
    ];
    say(printableLine(`${player.username}: ${state}, ${facts.join(", ")}.`));
    return { player: player.id, ...identity };
  },
});

/** Digits, perhaps with the separators that people write. */
function personalNumber(text: string, label: string): string {
  const digits = text.replaceAll(/[ .-]/g, "");
  if (/^\d{6,20}$/.test(digits)) return digits;
  throw new UsageProblem(`${label} must be 6 to 20 digits.`);
}

function documentName(text: string, label: string): string {
  if (text.length >= 1 && text.length <= 100) return text;
  throw new UsageProblem(`${label} must be 1 to 100 characters.`);
}

const decide = actCommand({
  name: "identity decide",
  needs: "player.add",
  about: "decide whether a player's identity and age are proved, and keep what was seen",
  more: [
    '  longarm identity decide deniz.aydin verified --birth-date 1990-05-31 --document passport --valid-until 2031-02-01 --reason "seen at the desk"',
    '  longarm identity decide deniz.aydin refused --reason "the picture is of somebody else"',
    "",
    "The decision stays for ever; the data are kept apart and are erased by longarm identity erase. The audit log has the age group alone.",
  ].join("\n"),
  arguments: { username: USERNAME, decision: argument("pending, verified or refused", oneOf(IDENTITY_DECISIONS)) },
  options: {
    birthDate: option("<date>", "as the document says it: 1990-05-31", day),
    document: option("<text>", "what was seen: passport, identity card", documentName),
    personalNumber: option("<digits>", "as the national register knows the player", personalNumber),
    validUntil: option("<date>", "the document's last day", day),
    reason: requiredReason("why"),
    dryRun: DRY_RUN,
  },
  check({ decision, validUntil }) {
    if (validUntil !== undefined && decision !== "verified")
      throw new UsageProblem("--valid-until goes with verified.");
  },
  async run(deps, { username, decision: state, birthDate, document, personalNumber: number, validUntil, ...how }) {
    const { reason, by, dryRun } = how;
    const player = await namedPlayer(deps.db, username);
    const known = await identityOf(deps.db, player.id);
    if (state === "verified" && (birthDate ?? known.birthDate) === null)
      throw new CommandRefused("An identity is verified with a birth date: give --birth-date.");
    if (!dryRun)
      await asStaff(deps, by, async (trx) => {
        const given = {
          ...(birthDate !== undefined && { birthDate }),
          ...(document !== undefined && { document }),
          ...(number !== undefined && { personalNumber: number }),
        };
        await keepRecord(trx, player.id, given);
        await decideIdentity(trx, { playerId: player.id, state, validUntil: validUntil ?? null, by, reason });
      });
    deps.say(printableLine(dryRun ? `Would decide ${state} for ${player.username}.` : `${player.username}: ${state}.`));
    return { player: player.id, state, dryRun };
  },
});

const erase = actCommand({
  name: "identity erase",
  needs: "player.add",
  about: "erase the personal data of a player's proof of identity; the decisions stay",
  more: '  longarm identity erase deniz.aydin --reason "five years after the account was closed"',
  arguments: { username: USERNAME },
  options: { reason: requiredReason("why"), dryRun: DRY_RUN },
  async run(deps, { username, by, dryRun }) {
    const player = await namedPlayer(deps.db, username);
    const { birthDate, personalNumber: number, document } = await identityOf(deps.db, player.id);
    if (birthDate === null && number === null && document === null)
      throw new CommandRefused(`No personal data of ${player.username} are kept.`);
    if (!dryRun) await asStaff(deps, by, (trx) => eraseRecord(trx, player.id));
    deps.say(dryRun ? "Would erase them. Nothing was changed." : "Erased.");
    return { player: player.id, dryRun };
  },
});

export const identityCommands: readonly Command[] = [show, decide, erase];
