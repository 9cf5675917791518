/// Whether a geocoder may still be asked for a manager's location. A geocoder that asks another one,
/// or a server, later than it was asked itself must look.
package enum GeocodingPermission {
  /// Nil for a program's own request, which needs no permission.
  @TaskLocal package static var mayAsk: (@Sendable () -> Bool)?

  /// - Throws: `CancellationError` once permission does not cover the location any more, or the task is
  ///   cancelled.
  static func check() throws {
    try Task.checkCancellation()
    guard mayAsk?() ?? true else { throw CancellationError() }
  }
}
