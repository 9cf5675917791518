import AsyncLocation
import GPSDReports
import LocationTransport

extension SocketStateMachine {
  struct Configuration: Sendable {
    /// The purpose of the connection.
    enum Purpose: Sendable {
      /// Receives reports until stopped.
      case watch
      /// Fetches the list of receivers once.
      case listDevices
    }

    var purpose: Purpose = .watch
    var endpoint = "localhost:2947"
    var device: String?
    /// Report options in addition to those that locations need.
    var flags: GPSDCommand.WatchFlags = []
    var waitsForDevice = false
    var reconnection: Reconnection = .exponential()
    var connectTimeout: Duration = .seconds(10)
    var handshakeTimeout: Duration = .seconds(5)
    var silenceTimeout: Duration = .seconds(10)
  }

  enum Event: Hashable, Sendable {
    case resolved([SocketAddress])
    case resolutionFailed(TransportFailure)
    case transportConnected
    case transportFailed(TransportFailure)
    case closedByPeer(TransportFailure?)
    case bannerReceived
    case lineWasNotGPSD(String)
    /// Complete lines arrived; `reports` is true when at least one of them was a receiver's report.
    case linesArrived(reports: Bool)
    case devicesReported([Receiver])
    case deviceReported(Receiver)
    case errorReported(String)
  }

  enum Action: Hashable, Sendable {
    case resolve
    case open(SocketAddress)
    case send(GPSDCommand)
  }
}
