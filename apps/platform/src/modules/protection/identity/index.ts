export type { Identity, IdentityDecision, IdentityRecord, NewDecision, OtherAccounts } from "./identity.ts";
export {
  ageGroupOf,
  closedGates,
  correctionOf,
  createIdentity,
  decideIdentity,
  decisionsOf,
  eraseRecord,
  forgetCorrections,
  IDENTITY_DECISIONS,
  identitiesOf,
  identityOf,
  identityProblem,
  isBirthDate,
  keepCorrection,
  keepRecord,
  lockIdentity,
  makesOlder,
  mayBeTooYoung,
  untouchedRecords,
} from "./identity.ts";
export type { SeenNumbers } from "./person.ts";
export {
  accountsOf,
  bornOnTheSameDay,
  excludedOf,
  heldPlayers,
  isHalf,
  keepMarks,
  marksOf,
  nameForm,
  personOf,
} from "./person.ts";
export { createIdentityService } from "./service.ts";
