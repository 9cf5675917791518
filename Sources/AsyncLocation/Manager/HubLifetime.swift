/// Keeps a hub open and closes it when the last reference is released.
///
/// The manager, its open streams and its sessions hold one, so the source stays open while any of
/// them exists. The hub's own tasks hold the hub, never its lifetime.
final class HubLifetime: Sendable {
  let hub: Hub

  init(_ hub: Hub) { self.hub = hub }

  deinit { hub.decide { $0.close(&$1) } }
}
