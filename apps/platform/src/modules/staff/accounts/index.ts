export type { Person } from "./accounts.ts";
export {
  addPerson,
  endPerson,
  findPerson,
  findPersonByName,
  invite,
  listPeople,
  listRoles,
  rightsOf,
  roleMark,
  seedRoles,
  separateIn,
  setRole,
  setRoles,
} from "./accounts.ts";
export {
  newSecret,
  newTotpSecret,
  sha256,
  totpCode,
  totpStep,
} from "./secrets.ts";
export type {
  CeremonyPurpose,
  DirectoryPurpose,
  Evidence,
  SignInHow,
  StaffDb,
  StaffTables,
  StaffTransaction,
} from "./tables.ts";
export { wholeOf } from "./tables.ts";
