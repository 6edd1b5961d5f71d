import type { Command } from "./command.ts";
import { agentsEndKey, agentsEnrol, agentsList, agentsRevoke, agentsRotate } from "./commands/agents.ts";
import { auditExport, auditList, auditVerify } from "./commands/audit.ts";
import { backup, backupVerify, restore } from "./commands/backup.ts";
import { games, suspenseExplain, suspenseList, transfersOpen } from "./commands/books.ts";
import { callCommands } from "./commands/calls.ts";
import { campaignCommands } from "./commands/campaigns.ts";
import { careCommands } from "./commands/care.ts";
import { disputeCommands } from "./commands/disputes.ts";
import { identityCommands } from "./commands/identity.ts";
import { integrationCommands } from "./commands/integrations.ts";
import { load } from "./commands/load.ts";
import { machineLife } from "./commands/machine-life.ts";
import { machineModes } from "./commands/machine-modes.ts";
import { machinesQueue, machinesQueueMove } from "./commands/machine-queue.ts";
import { handPayConfirm, machinesList, machinesRelease, machinesReserve, simulate } from "./commands/machines.ts";
import { marketCommands } from "./commands/markets.ts";
import { playersLimits } from "./commands/player-limits.ts";
import { playersPassword, playersPin, playersRemoveKeys } from "./commands/player-secrets.ts";
import { playersAdd, playersBan, playersList, playersShow, playersUnban } from "./commands/players.ts";
import { promotionsGrant, promotionsList } from "./commands/promotions.ts";
import { quickPanelCommands } from "./commands/quick-panel.ts";
import { reconcile } from "./commands/reconcile.ts";
import { reportCommands } from "./commands/reports.ts";
import { sessionsEnd, sessionsList } from "./commands/sessions.ts";
import { settingsCommands } from "./commands/settings.ts";
import { signInCommands } from "./commands/sign-in.ts";
import { staffAccounts } from "./commands/staff-accounts.ts";
import { termsCommands } from "./commands/terms.ts";
import { walletsStatement } from "./commands/wallet-statement.ts";
import { walletsBalance, walletsDeposit, walletsWithdraw } from "./commands/wallets.ts";
import { watchKeyCommands } from "./commands/watch-keys.ts";

/** Every command of `longarm`, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...signInCommands,
  playersAdd,
  playersList,
  playersShow,
  playersBan,
  playersUnban,
  playersLimits,
  playersPassword,
  playersPin,
  playersRemoveKeys,
  ...identityCommands,
  ...careCommands,
  ...disputeCommands,
  walletsDeposit,
  walletsWithdraw,
  walletsBalance,
  walletsStatement,
  promotionsGrant,
  promotionsList,
  ...campaignCommands,
  ...quickPanelCommands,
  ...staffAccounts,
  ...integrationCommands,
  ...watchKeyCommands,
  agentsEnrol,
  agentsList,
  agentsRotate,
  agentsEndKey,
  agentsRevoke,
  machinesList,
  ...machineModes,
  ...machineLife,
  machinesReserve,
  machinesRelease,
  machinesQueue,
  machinesQueueMove,
  handPayConfirm,
  ...callCommands,
  sessionsList,
  sessionsEnd,
  transfersOpen,
  suspenseList,
  suspenseExplain,
  games,
  reconcile,
  ...reportCommands,
  ...settingsCommands,
  ...marketCommands,
  ...termsCommands,
  simulate,
  load,
  auditList,
  auditExport,
  auditVerify,
  backupVerify,
  backup,
  restore,
];
