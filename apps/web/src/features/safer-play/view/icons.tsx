const PATHS = {
  hourglass: "M7 3.5h10M7 20.5h10M8 3.5c0 4.5 4 5.5 4 8.5s-4 4-4 8.5M16 3.5c0 4.5-4 5.5-4 8.5s4 4 4 8.5",
  edit: "m5 19 1-4L16 5l3 3L9 18z",
  scales: "M12 4.5v14M8 19.5h8M5.5 7.5h13M5.5 7.5l-3 6.2a3.2 3.2 0 0 0 6 0zM18.5 7.5l-3 6.2a3.2 3.2 0 0 0 6 0z",
} as const;

/** Icons that only this page draws: the others are in every first load. */
export function SaferIcon({
  name,
  className,
}: {
  readonly name: keyof typeof PATHS;
  readonly className?: string | undefined;
}) {
  return (
    <svg
      className={className}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
