import type { MigrationSet } from "@longarm/database/migrations";
import { ledgerMigrations } from "@longarm/ledger/migrations";

/** All migrations of a platform's database, in the order in which they are applied. */
export const platformMigrations: readonly MigrationSet[] = [
  ledgerMigrations,
  { name: "platform", folder: new URL("../migrations/platform/", import.meta.url) },
  // Agents, machines, seats, play sessions and the money between wallet and machine.
  { name: "play", folder: new URL("../migrations/play/", import.meta.url) },
  // What several platform processes share.
  { name: "nodes", folder: new URL("../migrations/nodes/", import.meta.url) },
  // The audit log, and the triggers that write it.
  { name: "audit", folder: new URL("../migrations/audit/", import.meta.url) },
  // Machines' meters beside what was booked, and the owners of open differences.
  { name: "reconciliation", folder: new URL("../migrations/reconciliation/", import.meta.url) },
  // What must be checked after a restore.
  { name: "restores", folder: new URL("../migrations/restores/", import.meta.url) },
  // Modes and reservations of machines, and limits of players.
  { name: "control", folder: new URL("../migrations/control/", import.meta.url) },
  // Rows that players read, made of the ledger's postings and the play sessions.
  { name: "history", folder: new URL("../migrations/history/", import.meta.url) },
  // What players store with their accounts.
  { name: "accounts", folder: new URL("../migrations/accounts/", import.meta.url) },
  // Messages between players, and what staff writes, in the panels of the page.
  { name: "panels", folder: new URL("../migrations/panels/", import.meta.url) },
  // Places in the queues of machines.
  { name: "queue", folder: new URL("../migrations/queue/", import.meta.url) },
  // Calls for an attendant.
  { name: "calls", folder: new URL("../migrations/calls/", import.meta.url) },
  // Accounts, roles and sign-ins of staff.
  { name: "staff", folder: new URL("../migrations/staff/", import.meta.url) },
  // Keys of agents, and the life cycle of machines.
  { name: "fleet", folder: new URL("../migrations/fleet/", import.meta.url) },
  // Sums by machine and business day, made of games, the ledger and the play sessions; and paytable sheets.
  { name: "reports", folder: new URL("../migrations/reports/", import.meta.url) },
  // What needs a person.
  { name: "tasks", folder: new URL("../migrations/tasks/", import.meta.url) },
  // Facts for receivers outside, and their deliveries.
  { name: "outbox", folder: new URL("../migrations/outbox/", import.meta.url) },
  // Versions of the venue's settings.
  { name: "settings", folder: new URL("../migrations/settings/", import.meta.url) },
  // Bonuses for groups of players.
  { name: "campaigns", folder: new URL("../migrations/campaigns/", import.meta.url) },
  // What protects players: chosen markets, and what follows from them.
  { name: "protection", folder: new URL("../migrations/protection/", import.meta.url) },
  // Questions of players about a game.
  { name: "disputes", folder: new URL("../migrations/disputes/", import.meta.url) },
  // Parts of the records of play, and how far each record had come when.
  { name: "clips", folder: new URL("../migrations/clips/", import.meta.url) },
  // Games that are drawn and proved without a question.
  { name: "evidence", folder: new URL("../migrations/evidence/", import.meta.url) },
  // Systems of the operator that call the platform.
  { name: "integrations", folder: new URL("../migrations/integrations/", import.meta.url) },
  // Facts about players, written by the rows of the sets above.
  { name: "facts", folder: new URL("../migrations/facts/", import.meta.url) },
  // Passkeys and recovery codes of players.
  { name: "passkeys", folder: new URL("../migrations/passkeys/", import.meta.url) },
  // Money that players add and withdraw.
  { name: "payments", folder: new URL("../migrations/payments/", import.meta.url) },
  // Money between the operator's own wallet and ours.
  { name: "remote-wallet", folder: new URL("../migrations/remote-wallet/", import.meta.url) },
];

/**
 * What the platform's own role may do, run by the owner after each migration. Ledger and audit log only grow: what triggers forbid is no right of the
 * role either, and it owns nothing, so that it cannot take the triggers away. It makes no temporary tables: a trigger of one would write balances as if
 * it were one of the ledger.
 */
export const platformGrants = (role: string): string => `
  do $do$ begin
    execute format('revoke temporary on database %I from public, ', current_database()) || $role$${role}$role$;
  end $do$;
  revoke create on schema public from public;
  grant usage on schema public, ledger, audit to ${role};
  revoke all on all tables in schema public, ledger, audit from ${role};
  grant select, insert, update, delete on all tables in schema public to ${role};
  revoke insert, update, delete on schema_migration, sample_days from ${role};
  revoke delete on alarm, staff_task, agent_key, watch_key, ram_clear, approval, receipt, slip, emergency_stop, emergency_stop_machine, cashier_shift, staff, player, player_limit, player_limit_answer, hand_pay, discrepancy,
    game, machine_transfer, machine_event, play_session, paytable_sheet, settings_version, campaign, bonus_grant, market_choice, player_break, player_reopening, identity_decision, identity_erasure, terms_version, terms_acceptance, limits_offer_answer, limit_news_read, register_answer, reality_check, reality_check_choice, care_case, care_sign, care_step, care_letter, care_means, dispute, dispute_step, dispute_reading, record_anchor, sampled_day, game_sample, payment, payment_step, provider_payment, remote_move from ${role};
  revoke update on receipt, player_limit, player_limit_answer, wallet_entry, paytable_sheet, settings_version, market_choice, player_break, player_reopening, identity_decision, identity_erasure, terms_version, terms_acceptance, limits_offer_answer, limit_news_read, register_answer, reality_check_choice, care_sign, care_step, care_means, dispute_step, dispute_reading, record_anchor, payment_step from ${role};
  grant update (text) on care_step to ${role};
  grant update (text, sentence, erased) on dispute_step to ${role};
  grant usage on all sequences in schema public, ledger, audit to ${role};
  grant select, insert on all tables in schema ledger, audit to ${role};
  grant update on ledger.accounts, ledger.holds to ${role};
  grant delete on audit.waiting to ${role};
  grant execute on all functions in schema public, ledger, audit to ${role}`;
