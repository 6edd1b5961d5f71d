export type { Identity, IdentityDecision, IdentityRecord, NewDecision } from "./identity.ts";
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
export { createIdentityService } from "./service.ts";
