export type { Act, ActBody, ActDeps, ActOutcome, After, Waits } from "./acts.ts";
export { contentOf, createStepUps, doAct, spendStepUp } from "./acts.ts";
export type { Execute, ShownApproval, Signed } from "./approvals.ts";
export {
  APPROVAL_MS,
  findApproval,
  listApprovals,
  listWaiting,
  maySign,
  refuseApproval,
  requestApproval,
  signApproval,
  withdrawAbout,
  withdrawApproval,
} from "./approvals.ts";
export type { DevicePoll } from "./devices.ts";
export { askDevice, decideDevice, lookDevice, pollDevice } from "./devices.ts";
export type { DirectorySignIn } from "./directory.ts";
export { createDirectorySignIn, directoryLinkOf, unlinkDirectory } from "./directory.ts";
export { askNewPasskey, keepPasskey, passkeysOf, takeCeremony } from "./passkeys.ts";
export { Refused } from "./refusal.ts";
export type { SignInDeps, StaffSignIn, Whence } from "./sign-in.ts";
export { createSignIn, renewRecoveryCodes } from "./sign-in.ts";
export type { StaffCaller, WhichSignIns } from "./sign-ins.ts";
export {
  actorOf,
  endingOf,
  endSignIns,
  findCaller,
  findDeviceCaller,
  listSignIns,
  lockSignIn,
  previousSignIn,
  staffNames,
  touchSignIn,
} from "./sign-ins.ts";
