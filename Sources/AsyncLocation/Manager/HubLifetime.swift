/// Keeps a hub open, and closes it when the last reference goes.
///
/// The manager, its open streams and its sessions hold one, so the source stays open for as long as
/// somebody can read from it. The hub's own tasks hold the hub and never this.
final class HubLifetime: Sendable {
  let hub: Hub

  init(_ hub: Hub) { self.hub = hub }

  deinit { hub.decide { $0.close(&$1) } }
}
