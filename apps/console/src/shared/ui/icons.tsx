/** The console's own icons beside those of the players' side: one path each, on 24 by 24. */
const PATHS = {
  today: "M4.5 12h3l2-5 4 11 2.2-6h3.8",
  floor: "M4 4.5h6.5v6H4zM13.5 4.5H20v6h-6.5zM4 13.5h6.5v6H4zM13.5 13.5H20v6h-6.5z",
  players:
    "M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 19.5c.7-3.4 2.9-5 6-5s5.3 1.6 6 5M15.5 4.9a3.5 3.5 0 0 1 0 6.2M17.5 14.9c1.9.7 3 2.2 3.5 4.6",
  money: "M4 7.5A2.5 2.5 0 0 1 6.5 5H17v3M4 7.5V17a2.5 2.5 0 0 0 2.5 2.5H20V8H6.5M16 13.8h.1",
  cashier: "M4 20V9l8-5 8 5v11M4 12.5h16M8 12.5V20M12 12.5V20M16 12.5V20",
  approvals: "M9 8.5a3 3 0 1 0 0-.1M3.5 19c.6-3.2 2.6-4.8 5.5-4.8 1 0 1.9.2 2.7.6M13 17.2l2.6 2.6 5-5.6",
  audit: "M9.5 14.5l5-5M8 11l-2.2 2.2a3.5 3.5 0 0 0 5 5L13 16M11 8l2.2-2.2a3.5 3.5 0 0 1 5 5L16 13",
  promotions: "M4.5 11h15v8.5h-15zM3.5 7.5h17V11h-17zM12 7.5v12M12 7.5c-7 0-5-7.5 0 0 5-7.5 7 0 0 0z",
  reports: "M4 20h16M6.5 16.5v-5M11 16.5V6M15.5 16.5v-8M20 16.5v-3.5",
  staff:
    "M8 3.5h8v4H8zM6 6H5.5A1.5 1.5 0 0 0 4 7.5v11A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5v-11A1.5 1.5 0 0 0 18.5 6H18M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8.5 17.5c.6-1.5 1.8-2.2 3.5-2.2s2.9.7 3.5 2.2",
  passkey:
    "M9.5 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2.5 20c.6-4 3.2-6 7-6 1.2 0 2.2.2 3.1.6M17.5 14.5a3 3 0 1 1 1.5 0l0 1.5-1 1 1 1.2-1.5 1.8v-5.5",
  key: "M8 15.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11.5h8.5M17.5 11.5v3.5M20.5 11.5v2.5",
  phone:
    "M8 3.5h8A1.5 1.5 0 0 1 17.5 5v14a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 19V5A1.5 1.5 0 0 1 8 3.5zM11 17.5h2",
  screen: "M3.5 5h17v11h-17zM9 20h6M12 16v4",
  copy: "M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5V5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3 7 7M17 17l1.7 1.7M18.7 5.3 17 7M7 17l-1.7 1.7",
  shield: "M12 3.5 19 6v5.5c0 4.5-2.8 7.5-7 9-4.2-1.5-7-4.5-7-9V6zM9 12l2.2 2.2L15.2 10",
  more: "m8.5 9.5 3.5-3.5 3.5 3.5M8.5 14.5 12 18l3.5-3.5",
  disputes: "M12 4v16M7.5 20h9M5 8h14M5 8l-2.5 6h5zM19 8l-2.5 6h5z",
  machines: "M6 3.5h12v17H6zM8.5 6.5h7v5h-7zM9 15h.1M12 15h.1M15 15h.1M9 18h6",
  agents:
    "M9 3.5v4M5 3.5v4M3.5 7.5h7v3a3.5 3.5 0 0 1-7 0zM7 14v2.5a4 4 0 0 0 8 0V13M15 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4",
  handPay:
    "M3.5 13.5h3l3-1.5h3.5a1.5 1.5 0 0 1 0 3H10M13.5 14.5l4.2-2a1.5 1.5 0 0 1 1.5 2.6l-5.7 3.9H3.5M14 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  transfer: "M4 8h13M13.5 4.5 17 8l-3.5 3.5M20 16H7M10.5 12.5 7 16l3.5 3.5",
  differ: "M5 9.5h14M5 14.5h14M15.5 5l-7 14",
  door: "M6 20.5v-17h9l3 1.5v17l-3-1.5zM4 20.5h11M15 3.5v15.5M12.3 12h.1",
  unplug:
    "M4 20l4-4M16 8l4-4M8.5 11.5l4 4-1.5 1.5a2.8 2.8 0 0 1-4-4zM15.5 12.5l-4-4L13 7a2.8 2.8 0 0 1 4 4zM10.5 9.5l-1-1M15.5 14.5l-1-1",
  stop: "M8.4 3.5h7.2l4.9 4.9v7.2l-4.9 4.9H8.4l-4.9-4.9V8.4zM8.5 12h7",
  clock: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7v5l3.5 2",
  settings:
    "M4 7h9M17 7h3M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM4 12h3M11 12h9M9 14.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM4 17h9M17 17h3M15 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
  next: "M9.5 6.5 15 12l-5.5 5.5",
} as const;
export type ConsoleIconName = keyof typeof PATHS;

/** Those with a direction are mirrored in a right-to-left page. */
const FLIPPING: ReadonlySet<ConsoleIconName> = new Set(["next", "passkey", "key"]);

/** A line drawing beside a word; hidden from screen readers. */
export function ConsoleIcon({ name }: { readonly name: ConsoleIconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" data-flips={FLIPPING.has(name) || undefined}>
      <path d={PATHS[name]} />
    </svg>
  );
}
