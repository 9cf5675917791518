import AsyncLocation
import FoundationEssentials

/// What `doctor` has learned, before it judges.
struct Evidence: Sendable {
  /// What a gpsd is asked before anybody watches it.
  struct Survey: Sendable {
    /// The API of the libgps that the tool was built for; nil without.
    var libgpsAPI: Int?
    /// Such as "localhost:2947".
    var endpoint = ""
    /// gpsd's release and the version of its protocol.
    var release: String?
    var protocolVersion: (major: Int, minor: Int)?
    /// The receivers, or why they cannot be asked for.
    var receivers: Result<[Receiver], LocationError> = .success([])
  }

  var survey = Survey()
  var usesSharedMemory = false
  /// The one receiver that was asked for.
  var device: String?
  var authorization: Authorization?
  /// The last state of the connection.
  var connection: ConnectionState?
  /// The last ones that came, and this computer's clock when the location did.
  var location: Location?
  var locatedAt: Date?
  var view: SatelliteView?
  /// What ended the watching early.
  var failure: LocationError?
  /// How long was watched.
  var patience: Duration = .zero

  /// Whether there is something to watch.
  var isReachable: Bool { usesSharedMemory || (try? survey.receivers.get()) != nil }

  /// The receivers as gpsd described them last: it opens some only when they are watched.
  var receivers: [Receiver] {
    if let seen = connection?.receivers, !seen.isEmpty { return seen }
    return (try? survey.receivers.get()) ?? []
  }
}
