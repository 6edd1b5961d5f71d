export type { Identity, IdentityDecision, IdentityState, NewDecision } from "./identity.ts";
export {
  decideIdentity,
  eraseRecord,
  IDENTITY_DECISIONS,
  identitiesOf,
  identityOf,
  identityProblem,
  keepRecord,
} from "./identity.ts";
