import { useState } from "react";

/** What a machine shows, from the first address that can be had; without any it is dark. */
export function Picture({
  pictures,
  className,
}: {
  readonly pictures: readonly string[];
  readonly className?: string;
}) {
  const [failed, setFailed] = useState(0);
  const picture = pictures[failed];
  return (
    <span className={className} aria-hidden="true">
      {picture !== undefined && (
        <img src={picture} alt="" width="640" height="400" decoding="async" onError={() => setFailed(failed + 1)} />
      )}
    </span>
  );
}
