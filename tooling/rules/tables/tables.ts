import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";
import { isTest } from "../source/repository.ts";
import type { SyntaxNode } from "../source/syntax.ts";
import { memberPath, nameOf, nodeIn, parse, stringIn, walk } from "../source/syntax.ts";

const modules = "apps/platform/src/modules/";

/** The one room, or file, that writes each table. */
export const WRITERS: Readonly<Record<string, string>> = {
  seat: "play/seat/",
  play_session: "play/seat/",
  machine: "play/machines.ts",
  agent: "play/agents/",
  agent_key: "play/agents/",
  agent_hello: "play/agents/",
  agent_link: "play/agents/",
  machine_still: "play/agents/",
  game: "play/session/",
  machine_event: "play/session/",
  hand_pay: "play/session/",
  watcher: "play/session/",
  seat_delay: "play/session/",
  picture_report: "play/session/",
  machine_transfer: "play/wallet/",
  transfer_recovery: "play/wallet/",
  discrepancy: "play/books/",
  machine_books: "play/books/",
  meter_reading: "play/books/",
  machine_control: "play/control/",
  machine_group: "play/life/",
  machine_life: "play/life/",
  ram_clear: "play/life/",
  restore_run: "play/restores/",
  restored_machine: "play/restores/",
  reconciliation: "play/books/",
  worker_turn: "play/reconciliation/",
  operator_command: "play/operations/",
  attendant_call: "play/calls.ts",
  staff: "staff/",
  staff_role: "staff/",
  staff_has_role: "staff/",
  staff_passkey: "staff/",
  staff_recovery_code: "staff/",
  staff_invitation: "staff/",
  staff_sign_in: "staff/",
  staff_ceremony: "staff/",
  staff_step_up: "staff/",
  staff_act: "staff/",
  approval: "staff/",
  staff_number: "staff/",
  staff_task: "staff/tasks/",
  task_times: "staff/tasks/",
  alarm: "play/alarms.ts",
  integration: "integrations/keys/",
  integration_key: "integrations/keys/",
  integration_player: "integrations/keys/",
  integration_nonce: "integrations/keys/",
  integration_answer: "integrations/listener/",
  watch_key: "integrations/whep/",
  watch: "integrations/whep/",
  outbox_fact: "talk/outbox/",
  outbox_delivery: "talk/outbox/",
  webhook_target: "talk/outbox/",
  push_device: "talk/outbox/",
  push_key: "talk/outbox/",
  staff_notice_read: "staff/tasks/",
  cashier_shift: "staff/",
  receipt: "staff/",
  slip: "staff/",
  emergency_stop: "staff/",
  emergency_stop_machine: "staff/",
  player_note: "staff/",
  player: "players/accounts/",
  player_profile: "players/accounts/",
  platform_key: "players/accounts/",
  auth_session: "players/auth/",
  login_attempt: "players/auth/",
  login_link: "players/auth/",
  sign_in_burst: "players/auth/",
  player_limit: "protection/limits/",
  player_limit_answer: "protection/limits/",
  limits_offer_answer: "protection/limits/",
  limit_news_read: "protection/limits/",
  market_choice: "protection/markets/",
  player_break: "protection/breaks/",
  identity_decision: "protection/identity/",
  identity_record: "protection/identity/",
  identity_correction: "protection/identity/",
  identity_erasure: "protection/identity/",
  identity_message: "protection/identity/",
  terms_version: "protection/terms/",
  terms_acceptance: "protection/terms/",
  register_answer: "protection/registers/",
  player_reopening: "protection/breaks/",
  care_case: "protection/cases/",
  care_sign: "protection/cases/",
  care_step: "protection/cases/",
  care_letter: "protection/cases/",
  care_look: "protection/care/",
  care_refusal: "protection/care/",
  care_means: "protection/care/",
  sampled_day: "records/evidence/",
  game_sample: "records/evidence/",
  dispute: "records/disputes/",
  dispute_step: "records/disputes/",
  dispute_reading: "records/disputes/",
  reality_check: "protection/checks/",
  reality_check_choice: "protection/checks/",
  bonus_grant: "players/promotions/",
  discount_claim: "players/promotions/",
  campaign: "players/promotions/",
  wallet_entry: "records/history/",
  business_day_rule: "records/reports/",
  report_games: "records/reports/",
  report_money: "records/reports/",
  report_seats: "records/reports/",
  report_viewing: "records/reports/",
  sample_days: "records/reports/",
  paytable_sheet: "records/reports/",
  settings_version: "records/settings/",
  "audit.entries": "records/audit/",
  "audit.links": "records/audit/",
  "audit.waiting": "records/audit/",
  quick_panel_entry: "talk/quick-panel/",
  team_chat: "talk/team-chat/",
  team_chat_member: "talk/team-chat/",
  team_chat_message: "talk/team-chat/",
  team_chat_presence: "talk/team-chat/",
  team_chat_profile: "talk/team-chat/",
};

/** Rooms and files that read tables of other domains, and why a function of the owner does not serve. */
export const READERS: Readonly<Record<string, string>> = {
  "records/history/":
    "one statement per page joins ledger, play sessions and machines; its indexes are in migrations/history",
  "records/reports/":
    "a report joins the sums with machines, games and play sessions in one statement, and its proof compares them",
  "play/reconciliation/checks.ts": "the proof compares every table that money touches with the ledger",
  "talk/team-chat/": "a player's contacts are the players of the same group, with their names",
  "apps/platform/src/plugins/platform-metrics.ts": "one statement counts for all gauges",
  "protection/breaks/breaks.ts":
    "the time of play since the last pause is one statement over the play sessions of many players, which begins their breaks",
  "protection/registers/keeper.ts": "one statement finds the players at machines whose newest answers are old",
  "play/restores/after-restore.ts": "a restore changes the whole database before any node runs on it (record 0086)",
};

/** Files that write tables of others. */
const ALSO_WRITES: ReadonlySet<string> = new Set(["play/restores/after-restore.ts"]);

const domainOf = (path: string): string => path.slice(0, path.indexOf("/") + 1);

/** Every use of a table by a file that may not use it: another room writes, or another domain reads. */
export function tableBreaches(file: SourceFile): Breach[] {
  if (!file.path.startsWith("apps/platform/src/") || isTest(file.path)) return [];
  return tableUses(file).flatMap(({ table, writes, line }) => {
    const writer = WRITERS[table];
    if (writer === undefined) return [];
    const own = file.path.startsWith(modules) ? file.path.slice(modules.length) : file.path;
    if (own.startsWith(writer) || ALSO_WRITES.has(own)) return [];
    if (writes)
      return [
        { path: file.path, line, sentence: `writes the table ${table}: only ${writer} does, call its function.` },
      ];
    if (domainOf(own) === domainOf(writer) || Object.keys(READERS).some((reader) => own.startsWith(reader))) return [];
    return [
      {
        path: file.path,
        line,
        sentence: `reads the table ${table} of another domain: call a function, or use a query part, of ${writer}.`,
      },
    ];
  });
}

type TableUse = { readonly table: string; readonly writes: boolean; readonly line: number };

const reads = new Set(["selectFrom", "from", "innerJoin", "leftJoin", "rightJoin", "fullJoin"]);
const writes = new Set(["insertInto", "updateTable", "deleteFrom", "mergeInto"]);

/** Tables that a file names in Kysely's calls and in its SQL. */
function tableUses(file: SourceFile): TableUse[] {
  const { program, lineAt } = parse(file);
  const uses: TableUse[] = [];
  walk(program, (node, ancestors) => {
    const line = lineAt(node.start);
    for (const { table, ...use } of [...inCall(node), ...inText(node, ancestors.at(-1))])
      if (Object.hasOwn(WRITERS, table)) uses.push({ table, ...use, line });
  });
  return uses;
}

type Named = Omit<TableUse, "line">;

function inCall(node: SyntaxNode): Named[] {
  if (node.type !== "CallExpression") return [];
  const method = nameOf(nodeIn(nodeIn(node, "callee", "MemberExpression"), "property")) ?? "";
  if (!reads.has(method) && !writes.has(method)) return [];
  const [first] = node["arguments"] as SyntaxNode[];
  const named = first?.type === "ArrayExpression" ? (first["elements"] as SyntaxNode[]) : [first];
  return named.flatMap((one) => {
    const text = stringIn(one);
    return text === undefined ? [] : [{ table: text.replace(/ as .*$/, ""), writes: writes.has(method) }];
  });
}

const statement = /^\s*\(?(?:select|insert into|update|delete from|with)\b/i;

/** SQL: templates with the tag `sql`, and texts that begin like a statement. */
function inText(node: SyntaxNode, parent: SyntaxNode | undefined): Named[] {
  const text = textOf(node);
  if (text === undefined) return [];
  const tag = parent?.type === "TaggedTemplateExpression" ? nodeIn(parent, "tag") : undefined;
  const isSql = nameOf(tag) === "sql" || memberPath(tag)?.startsWith("sql.") === true;
  if (!isSql && !statement.test(text)) return [];
  const found = text.matchAll(/\b(insert into|update|delete from|from|join|using)\s+([a-z_]+(?:\.[a-z_]+)?)/gi);
  return [...found].map(([, verb = "", table = ""]) => ({
    table: table.toLowerCase(),
    writes: /^(insert into|update|delete from)$/i.test(verb),
  }));
}

function textOf(node: SyntaxNode): string | undefined {
  if (node.type !== "TemplateLiteral") return node.type === "Literal" ? stringIn(node) : undefined;
  return (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(" ? ");
}
