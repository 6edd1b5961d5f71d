import type { Command } from "./command.ts";
import { agentsEnrol, agentsList, agentsRevoke, agentsRotate } from "./commands/agents/agents.ts";
import { auditExport } from "./commands/audit/audit-export.ts";
import { auditList } from "./commands/audit/audit-list.ts";
import { auditVerify } from "./commands/audit/audit-verify.ts";
import { backupVerify } from "./commands/backup/backup-verify.ts";
import { backup } from "./commands/backup/backup-write.ts";
import { restore } from "./commands/backup/restore.ts";
import { callCommands } from "./commands/calls/calls.ts";
import { handPayConfirm } from "./commands/hand-pay-confirm.ts";
import { load } from "./commands/load/load.ts";
import { machineModes } from "./commands/machines/machine-modes.ts";
import { machinesRelease, machinesReserve } from "./commands/machines/machine-reservations.ts";
import { machinesList } from "./commands/machines/machines-list.ts";
import { games } from "./commands/money/games.ts";
import { reconcile } from "./commands/money/reconcile.ts";
import { suspenseExplain, suspenseList } from "./commands/money/suspense.ts";
import { transfersOpen } from "./commands/money/transfers.ts";
import { playersAdd } from "./commands/players/players-add.ts";
import { playersBan, playersUnban } from "./commands/players/players-ban.ts";
import { playersLimits } from "./commands/players/players-limits.ts";
import { playersList } from "./commands/players/players-list.ts";
import { playersPassword, playersPin } from "./commands/players/players-secrets.ts";
import { playersShow } from "./commands/players/players-show.ts";
import { promotionsGrant } from "./commands/promotions-grant.ts";
import { promotionsList } from "./commands/promotions-list.ts";
import { quickPanelCommands } from "./commands/quick-panel/entries.ts";
import { sessionsEnd, sessionsList } from "./commands/sessions/sessions.ts";
import { simulate } from "./commands/simulate.ts";
import { walletsBalance } from "./commands/wallets/wallet-balance.ts";
import { walletsDeposit, walletsWithdraw } from "./commands/wallets/wallet-move.ts";
import { walletsStatement } from "./commands/wallets/wallet-statement.ts";

/** Everything that staff can write behind `longarm`, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  playersAdd,
  playersList,
  playersShow,
  playersBan,
  playersUnban,
  playersLimits,
  playersPassword,
  playersPin,
  walletsDeposit,
  walletsWithdraw,
  walletsBalance,
  walletsStatement,
  promotionsGrant,
  promotionsList,
  ...quickPanelCommands,
  agentsEnrol,
  agentsList,
  agentsRotate,
  agentsRevoke,
  machinesList,
  ...machineModes,
  machinesReserve,
  machinesRelease,
  handPayConfirm,
  ...callCommands,
  sessionsList,
  sessionsEnd,
  transfersOpen,
  suspenseList,
  suspenseExplain,
  games,
  reconcile,
  simulate,
  load,
  auditList,
  auditExport,
  auditVerify,
  backupVerify,
  backup,
  restore,
];
