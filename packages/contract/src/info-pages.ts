/** The operator's static pages (specification 2.10): their addresses on the web's origin, and their titles. Only they may be shown in a frame of the web. */
export const INFO_PAGES = {
  passwordReset: { path: "/password-reset.html", title: "Password Reset Procedure" },
  gameRules: { path: "/game-rules-and-content.html", title: "Game Rules and Content" },
  playerProtection: { path: "/player-protection-information.html", title: "Player Protection Information" },
  termsOfUse: { path: "/terms-of-use.html", title: "Terms of Use" },
  privacyPolicy: { path: "/privacy-policy.html", title: "Privacy Policy" },
  paytables: { path: "/paytables.html", title: "Paytables" },
} as const;
export type InfoPage = keyof typeof INFO_PAGES;
