export { beginCampaign, moveCampaign, reachOfPlan, writeCampaign } from "./campaigns.ts";
export type { CareActor } from "./care.ts";
export { endCase, noteCase, takeCase, timeOut, writeLetter } from "./care.ts";
export type { WantedVerdict } from "./disputes.ts";
export {
  askBack,
  checkMoment,
  checkVerdict,
  keepRequested,
  noteOn,
  payAndDecide,
  requestedWords,
  takeOver,
} from "./disputes.ts";
export { decideAtDesk, decideSigned, dueRecords, eraseAtDesk, otherAccounts } from "./identity.ts";
export type { ChosenMarket, LooserMarket, WantedMarket } from "./markets.ts";
export { chooseAtDesk, chooseSigned } from "./markets.ts";
export type { DeskPayment } from "./payments.ts";
export { heldFor, lockAtDesk, paidAtDesk, waitAtDesk } from "./payments.ts";
export {
  checkPaytable,
  checkReportPeriod,
  checkRowsPeriod,
  enterPaytable,
  makeProviderFile,
  makeProviderReport,
  makeReport,
  makeReportFile,
} from "./reports.ts";
export type { PreparedSettings, WantedSettings } from "./settings.ts";
export { prepareSettings, saveSettings } from "./settings.ts";
export type { NewReceipt } from "./shifts.ts";
export {
  closeShift,
  findReceipt,
  listShifts,
  lockShift,
  movedAlone,
  openShift,
  openShiftOf,
  reportShifts,
  writeReceipt,
} from "./shifts.ts";
export type { HandPayOrder, Payer } from "./slips.ts";
export { findOwed, findSlip, payByHand, slipKey, slipsOf, voidSlip } from "./slips.ts";
export {
  closeEmptyStops,
  listStops,
  lockStop,
  namesOf,
  noteStop,
  openStops,
  personOf,
  releaseStop,
  setStop,
  writeStopReason,
} from "./stops.ts";
export type { WalletMove } from "./wallet-moves.ts";
export { checkMayMove, moveBetweenCageAndWallet, moveMoney, walletTransferId } from "./wallet-moves.ts";
export { admitDisplay, endDisplay, findDisplay, keepView, listDisplays, listViews, removeView } from "./walls.ts";
