/// Creates a location manager, passes it to a closure, and shuts it down before returning or
/// throwing.
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

/// Passes a manager to a closure and shuts it down before returning or throwing.
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
