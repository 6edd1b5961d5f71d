import { CountryCode, DOCUMENT_KINDS, documentNumberForm } from "@longarm/contract/player-identity";
import { IDENTITY_DECISIONS, identityOf, isHalf } from "../../modules/protection/identity/index.ts";
import { decideAtDesk, dueRecords, eraseAtDesk, otherAccounts } from "../../modules/staff/desk/index.ts";
import type { Command } from "../command.ts";
import { actCommand, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, day, oneOf, option, requiredReason, USERNAME } from "../fields.ts";
import { printableLine, sayTable, timeText } from "../output.ts";
import { asStaff, carryOut, namedPlayer } from "../staff.ts";

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
    const others = await otherAccounts(db, player.id);
    for (const { player: other, is, excluded } of others)
      say(printableLine(`${OTHERS_SAID[is]} ${other.username}${excluded ? ", who is kept from play" : ""}.`));
    return { player: player.id, ...identity, others };
  },
});

const OTHERS_SAID = { same: "The same number or document as", alike: "The same name and birth date as" } as const;

function country(text: string, label: string): string {
  const code = CountryCode.safeParse(text.toUpperCase());
  if (code.success) return code.data;
  throw new UsageProblem(`${label} must be two letters of ISO 3166: SE.`);
}

function documentNumber(text: string, label: string): string {
  if (documentNumberForm(text) !== null) return text;
  throw new UsageProblem(`${label} must be 4 to 30 letters and digits.`);
}

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
    '  longarm identity decide deniz.aydin expired --reason "the passport was reported lost"',
    "",
    "The decision stays for ever; the data are kept apart and are erased by longarm identity erase. The audit log has the age group alone.",
    "A birth date that makes the player older than was known, or that follows one that was erased, waits for a second person.",
    "Of the number of a document only a keyed mark is kept. While another account has the same number, no player is verified before --others says what that is.",
  ].join("\n"),
  arguments: {
    username: USERNAME,
    decision: argument("pending, verified, refused or expired", oneOf(IDENTITY_DECISIONS)),
  },
  options: {
    birthDate: option("<date>", "as the document says it: 1990-05-31", day),
    document: option("<text>", "what was seen: passport, identity card", documentName),
    personalNumber: option("<digits>", "as the national register knows the player", personalNumber),
    country: option("<code>", "who issued number and document: SE", country),
    documentKind: option(`<kind>`, DOCUMENT_KINDS.join(", "), oneOf(DOCUMENT_KINDS)),
    documentNumber: option("<number>", "of the document", documentNumber),
    others: option(
      "<same|different>",
      "what other accounts with the same number are",
      oneOf(["same", "different"] as const),
    ),
    validUntil: option("<date>", "the document's last day", day),
    reason: requiredReason("why"),
    dryRun: DRY_RUN,
  },
  check({ decision, validUntil, country: code, personalNumber: number, documentKind, documentNumber: of }) {
    if (isHalf({ country: code, personalNumber: number, documentKind, documentNumber: of }))
      throw new UsageProblem(
        "--personal-number goes with --country, --document-number with --document-kind and --country.",
      );
    if (validUntil !== undefined && decision !== "verified")
      throw new UsageProblem("--valid-until goes with verified.");
  },
  async run(deps, { username, decision: state, birthDate, document, personalNumber: number, validUntil, ...how }) {
    const { reason, by, dryRun, others } = how;
    const seen = {
      ...(how.country !== undefined && { country: how.country }),
      ...(how.documentKind !== undefined && { documentKind: how.documentKind }),
      ...(how.documentNumber !== undefined && { documentNumber: how.documentNumber }),
    };
    const player = await namedPlayer(deps.db, username);
    const record = {
      ...(birthDate !== undefined && { birthDate }),
      ...(document !== undefined && { document }),
      ...(number !== undefined && { personalNumber: number }),
    };
    const { caller } = deps.acting;
    if (caller !== null) {
      const fields = {
        ...{ state, ...record, ...seen, reason },
        ...(others !== undefined && { others }),
        ...(validUntil !== undefined && { validUntil }),
      };
      const outcome = await actAtDesk(deps, caller, "decideIdentity", { params: { id: player.id }, fields, dryRun });
      const would = `decide ${state} for ${player.username}`;
      return sayOutcome(deps, outcome, { done: () => `${player.username}: ${state}.`, would });
    }
    const order = { playerId: player.id, state, validUntil: validUntil ?? null, by, reason, others, record, seen };
    await asStaff(deps, by, (trx) => decideAtDesk(trx, deps.random, order), dryRun);
    deps.say(printableLine(dryRun ? `Would decide ${state} for ${player.username}.` : `${player.username}: ${state}.`));
    const now = await identityOf(deps.db, player.id);
    if (!dryRun && state === "verified" && now.state === "pending") deps.say(HELD);
    if (!dryRun) await carryOut(deps, { kind: "player", body: { playerId: player.id }, by });
    return { player: player.id, state: dryRun ? state : now.state, dryRun };
  },
});

const HELD =
  "Another account has this number or document, so it is pending: longarm identity show names it, --others decides.";

const erase = actCommand({
  name: "identity erase",
  needs: "player.add",
  about: "erase the personal data of a player's proof of identity; the decisions stay",
  more: '  longarm identity erase deniz.aydin --reason "five years after the account was closed"',
  arguments: { username: USERNAME },
  options: { reason: requiredReason("why"), dryRun: DRY_RUN },
  async run(deps, { username, reason, by, dryRun }) {
    const player = await namedPlayer(deps.db, username);
    const { caller } = deps.acting;
    if (caller !== null) {
      const sent = { params: { id: player.id }, fields: { reason }, dryRun };
      const outcome = await actAtDesk(deps, caller, "eraseIdentity", sent);
      return sayOutcome(deps, outcome, { done: () => "Erased.", would: "erase them" });
    }
    await asStaff(deps, by, (trx) => eraseAtDesk(trx, player.id), dryRun);
    deps.say(dryRun ? "Would erase them. Nothing was changed." : "Erased.");
    return { player: player.id, dryRun };
  },
});

/** The most records that one command looks at: the next one continues with the rest. */
const DUE_MAX = 1_000;

const due = command({
  name: "identity due",
  about: "list players whose personal data the market lets the venue keep no longer",
  more: "  longarm identity due",
  async run({ db, say }) {
    const records = await dueRecords(db, DUE_MAX);
    sayTable(say, records, ({ username, since, keepYears }) => [
      printableLine(username),
      `last here ${timeText(since)}`,
      `kept ${keepYears} years`,
    ]);
    if (records.length === 0) say("None is due.");
    return { records };
  },
});

const eraseDue = actCommand({
  name: "identity erase-due",
  needs: "player.add",
  about: "erase the personal data that the market lets the venue keep no longer",
  more: [
    '  longarm identity erase-due --reason "kept for five years" --dry-run',
    "",
    "With them go notes and letters of cases that were closed that long ago, and the words of questions about a game; what was done stays.",
    "Decisions, audit log and ledger stay. longarm identity due lists whose data they are.",
  ].join("\n"),
  options: { reason: requiredReason("why"), dryRun: DRY_RUN },
  async run(deps, { reason, by, dryRun }) {
    const records = await dueRecords(deps.db, DUE_MAX);
    const { caller } = deps.acting;
    for (const { playerId, username } of records) {
      if (!dryRun && caller !== null)
        await actAtDesk(deps, caller, "eraseIdentity", { params: { id: playerId }, fields: { reason }, dryRun });
      else if (!dryRun) await asStaff(deps, by, (trx) => eraseAtDesk(trx, playerId));
      deps.say(printableLine(`${username}: ${dryRun ? "would be erased" : "erased"}.`));
    }
    if (records.length === 0) deps.say("None is due.");
    return { erased: records.map(({ playerId }) => playerId), dryRun };
  },
});

export const identityCommands: readonly Command[] = [show, decide, erase, due, eraseDue];
