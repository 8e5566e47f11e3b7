/** How much of something is taken. What it means stands beside it in words. */
export function Bar({ share, isNear = share >= 0.85 }: { share: number; isNear?: boolean }) {
  return (
    <span class={`bar${isNear ? " near" : ""}`} aria-hidden="true">
      <span class="used" style={{ width: `${Math.min(100, share * 100)}%` }} />
    </span>
  );
}
