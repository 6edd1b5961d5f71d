export type { Person } from "./accounts.ts";
export {
  addPerson,
  endPerson,
  findPerson,
  findPersonByName,
  invite,
  listPeople,
  listRoles,
  newSecret,
  rightsOf,
  roleMark,
  seedRoles,
  separateIn,
  setRole,
  setRoles,
  sha256,
} from "./accounts.ts";
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
