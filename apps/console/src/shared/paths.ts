/** The console's addresses: they may be sent to a colleague. */
export const paths = {
  start: "/",
  invitation: "/invitation",
  approvals: "/approvals",
  staff: "/staff",
  account: "/account",
} as const;
