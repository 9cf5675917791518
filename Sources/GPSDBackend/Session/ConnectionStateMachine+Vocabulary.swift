import AsyncLocation

extension ConnectionStateMachine {
  struct Configuration: Sendable {
    /// What the connection is for.
    enum Purpose: Sendable {
      /// Reports, for as long as they are wanted.
      case watch
      /// The list of receivers, once.
      case listDevices
    }

    var purpose: Purpose = .watch
    var endpoint = "localhost:2947"
    var device: String?
    /// What reports are to hold besides what a location needs.
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
    /// Whole lines came; `reports` when one of them was what a receiver said.
    case linesArrived(reports: Bool)
    case devicesReported([Receiver])
    case deviceReported(Receiver)
    case errorReported(String)
    case timerFired
    case stopped
  }

  enum Command: Hashable, Sendable {
    /// `?WATCH` for reports, of one device or of all.
    case watch(device: String?, flags: WatchCommand.Flags = [])
    case listDevices
    case askVersion
    case unwatch
  }

  enum Action: Hashable, Sendable {
    case resolve
    case open(SocketAddress)
    case send(Command)
    /// Sets the one timer, or sets it anew.
    case arm(at: Duration)
    case disarm
    /// Ends the connection, or the way to one: nothing more is to be heard of it.
    case close
    case report(ConnectionState)
    /// Tells that the receivers are silent.
    case reportUnavailable(LocationError)
    /// Tells that this process has no right to the connection.
    case reportDenied
    /// Ends the run, having got what it was for.
    case finish([Receiver])
    case fail(LocationError)
    /// Ends the run, having been told to.
    case end
  }
}
