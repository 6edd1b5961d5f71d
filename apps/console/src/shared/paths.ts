import { DIRECTORY_PATH } from "@longarm/contract/staff-sign-in";

/** The console's addresses: they may be sent to a colleague. */
export const paths = {
  start: "/",
  invitation: "/invitation",
  /** Where the directory sends a browser back to. */
  directory: DIRECTORY_PATH,
  today: "/today",
  floor: "/floor",
  players: "/players",
  care: "/care",
  disputes: "/questions",
  games: "/games",
  money: "/money",
  cashier: "/cashier",
  approvals: "/approvals",
  promotions: "/promotions",
  reports: "/reports",
  audit: "/audit",
  machines: "/machines",
  agents: "/agents",
  staff: "/staff",
  account: "/account",
  /** Where `longarm sign-in` sends a person with its code. */
  device: "/device",
  /** Wall displays as staff admits them, and what such a display itself opens. */
  displays: "/displays",
  wall: "/wall",
  alerts: "/alerts",
  settings: "/settings",
  runbooks: "/runbooks",
} as const;
