/// Runs a closure with a location manager of its own, which is shut down when the closure returns
/// or throws, before this function does.
///
/// - Throws: What the closure throws.
public func withLocationManager<Result>(
  backend: any LocationBackend, configuration: LocationManager.Configuration = .init(),
  clock: any Clock<Duration> = .continuous,
  body: (LocationManager) async throws -> Result
) async rethrows -> Result {
  try await withLocationManager(
    LocationManager(backend: backend, configuration: configuration, clock: clock), body: body)
}

/// Runs a closure with a manager, and shuts that down before it returns.
package func withLocationManager<Result>(
  _ manager: LocationManager, body: (LocationManager) async throws -> Result
) async rethrows -> Result {
  do {
    let result = try await body(manager)
    await manager.shutdown()
    return result
  } catch {
    await manager.shutdown()
    throw error
  }
}
