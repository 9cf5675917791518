import AsyncLocation

extension ConnectionStateMachine {
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
    var flags: WatchCommand.Flags = []
    var waitsForDevice = false
    var reconnection: GPSDConfiguration.Reconnection = .exponential()
    var connectTimeout: Duration = .seconds(10)
    var handshakeTimeout: Duration = .seconds(5)
    var silenceTimeout: Duration = .seconds(10)
  }

  enum Event: Hashable, Sendable {
    case started
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
    case timerFired
    case stopped
  }

  enum Command: Hashable, Sendable {
    /// `?WATCH` that enables reports of one device or of all.
    case watch(device: String?, flags: WatchCommand.Flags = [])
    case listDevices
    case askVersion
    case unwatch
  }

  enum Action: Hashable, Sendable {
    case resolve
    case open(SocketAddress)
    case send(Command)
    /// Sets the only timer, replacing its current deadline.
    case arm(at: Duration)
    case disarm
    /// Closes the connection or cancels the attempt; no further events of it are handled.
    case close
    case report(ConnectionState)
    /// Reports that no receiver sends reports.
    case reportUnavailable(LocationError)
    /// Reports that this process is not permitted to connect.
    case reportDenied
    /// Ends the run successfully with the list of receivers.
    case finish([Receiver])
    case fail(LocationError)
    /// Ends the run because it was stopped.
    case end
  }
}
