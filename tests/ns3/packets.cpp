#include "tests/ns3/packets.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-generator.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/ipv4.h>
#include <ns3/node-container.h>
#include <ns3/packet.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/tcp-dctcp.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/uinteger.h>
#include <utility>

#include <fmt/format.h>

namespace simtrain::testing {
namespace {

/// Connections are open when the first traffic starts.
constexpr Duration kOpen = std::chrono::milliseconds(1);

ns3::Time time_of(Duration duration) {
  return ns3::PicoSeconds(static_cast<std::uint64_t>(duration.count()));
}

/// A connection that sends what it is allowed to and tells what has come.
class Connection {
 public:
  Connection(const ns3::Ptr<ns3::Node>& from, const ns3::Ptr<ns3::Node>& to, std::uint16_t port,
             std::function<void(std::int64_t)> came)
      : came_(std::move(came)) {
    const ns3::TypeId tcp = ns3::TcpSocketFactory::GetTypeId();
    listener_ = ns3::Socket::CreateSocket(to, tcp);
    listener_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
    listener_->Listen();
    listener_->SetAcceptCallback(
        ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
        ns3::MakeCallback(&Connection::accept, this));
    sender_ = ns3::Socket::CreateSocket(from, tcp);
    sender_->SetSendCallback(ns3::MakeCallback(&Connection::room, this));
    constexpr int kFirstWire = 1;  // 0 is the loopback
    const ns3::Ipv4Address address =
        to->GetObject<ns3::Ipv4>()->GetAddress(kFirstWire, 0).GetLocal();
    ns3::Simulator::ScheduleNow(&Connection::connect, this, ns3::InetSocketAddress(address, port));
  }

  void allow(std::int64_t bytes) {
    allowed_ += bytes;
    send();
  }

 private:
  void connect(const ns3::InetSocketAddress& address) { sender_->Connect(address); }
  void accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& /*from*/) {
    receiver_ = socket;
    receiver_->SetRecvCallback(ns3::MakeCallback(&Connection::receive, this));
  }
  void room(ns3::Ptr<ns3::Socket> /*socket*/, std::uint32_t /*bytes*/) { send(); }
  void receive(ns3::Ptr<ns3::Socket> socket) {
    while (const ns3::Ptr<ns3::Packet> packet = socket->Recv()) came_(packet->GetSize());
  }
  void send() {
    // Whole packets, as long as there are some.
    const std::int64_t room = sender_->GetTxAvailable() / kPayloadBytes * kPayloadBytes;
    const std::int64_t bytes = std::min(allowed_, room);
    if (bytes <= 0) return;
    allowed_ -= bytes;
    sender_->Send(ns3::Create<ns3::Packet>(static_cast<std::uint32_t>(bytes)));
  }

  std::function<void(std::int64_t)> came_;
  ns3::Ptr<ns3::Socket> listener_;
  ns3::Ptr<ns3::Socket> sender_;
  ns3::Ptr<ns3::Socket> receiver_;
  std::int64_t allowed_ = 0;  ///< bytes that are not yet with the socket
};

/// One Traffic as it runs.
class Runner {
 public:
  Runner(const Traffic& traffic, const ns3::NodeContainer& nodes, std::uint16_t first_port)
      : traffic_(traffic) {
    const auto node = [&](std::size_t host) {
      return nodes.Get(static_cast<std::uint32_t>(traffic_.hosts[host]));
    };
    for (std::size_t i = 0; i < traffic_.connections(); ++i)
      connections_.push_back(std::make_unique<Connection>(
          node(i), node(traffic_.after(i)), static_cast<std::uint16_t>(first_port + i),
          [this, i](std::int64_t bytes) { came(i, bytes); }));
    waiting_.resize(connections_.size());
    ns3::Simulator::Schedule(time_of(kOpen + traffic_.start), &Runner::compute, this);
  }

  [[nodiscard]] const std::vector<double>& times() const { return times_; }

 private:
  void compute() {
    ns3::Simulator::Schedule(time_of(traffic_.computes), &Runner::begin_sending, this);
  }
  void begin_sending() {
    begun_ = ns3::Simulator::Now();
    missing_ = traffic_.bytes * static_cast<std::int64_t>(connections_.size());
    std::fill(waiting_.begin(), waiting_.end(), traffic_.bytes - traffic_.at_once());
    for (const auto& connection : connections_) connection->allow(traffic_.at_once());
  }
  void came(std::size_t connection, std::int64_t bytes) {
    missing_ -= bytes;
    if (missing_ == 0) {
      times_.push_back((ns3::Simulator::Now() - begun_).GetSeconds());
      if (static_cast<int>(times_.size()) < traffic_.steps) compute();
      return;
    }
    if (!traffic_.ring()) return;
    const std::size_t next = traffic_.after(connection);
    const std::int64_t allowed = std::min(bytes, waiting_[next]);
    waiting_[next] -= allowed;
    connections_[next]->allow(allowed);
  }

  Traffic traffic_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::int64_t> waiting_;  ///< by connection: bytes of the step that wait for others
  ns3::Time begun_;
  std::int64_t missing_ = 0;  ///< bytes of the step
  std::vector<double> times_;
};

/// The queues of the ports of a fabric.
ns3::TrafficControlHelper queues(Fabric fabric, const Wire& wire) {
  ns3::TrafficControlHelper queues;
  constexpr const char* kNeverFull = "1000000p";
  if (fabric == Fabric::fair_queues) {
    // FQ-CoDel without CoDel: its targets are never missed. Collisions of flows in its table are
    // ruled out by its size.
    queues.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", ns3::StringValue(kNeverFull),
                            "Flows", ns3::UintegerValue(65535), "Target", ns3::StringValue("100s"),
                            "Interval", ns3::StringValue("100s"));
  } else {
    constexpr double kMarkedFrom = 64;
    queues.SetRootQueueDisc("ns3::RedQueueDisc", "MaxSize", ns3::StringValue(kNeverFull), "UseEcn",
                            ns3::BooleanValue(true), "UseHardDrop", ns3::BooleanValue(false),
                            "Gentle", ns3::BooleanValue(false), "QW", ns3::DoubleValue(1), "MinTh",
                            ns3::DoubleValue(kMarkedFrom), "MaxTh", ns3::DoubleValue(kMarkedFrom),
                            "MeanPktSize", ns3::UintegerValue(kPacketBytes), "LinkBandwidth",
                            ns3::StringValue(fmt::format("{}Gbps", wire.gbit)));
  }
  return queues;
}

void set_transport(Fabric fabric) {
  const bool fair = fabric == Fabric::fair_queues;
  const auto set = [](const char* name, const ns3::AttributeValue& value) {
    ns3::Config::SetDefault(name, value);
  };
  set("ns3::TcpL4Protocol::SocketType",
      ns3::TypeIdValue(fair ? ns3::TcpLinuxReno::GetTypeId() : ns3::TcpDctcp::GetTypeId()));
  set("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(kPayloadBytes));
  // Somewhat more than a way holds; DCTCP has to find its window, and is held up by no other.
  const std::uint32_t window = fair ? 32 : 1024;  // packets
  set("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(2 * window * kPayloadBytes));
  set("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(window * kPayloadBytes));
  set("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(fair ? 2 : 1));
  set("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(fair ? window : 10));
}

ns3::NodeContainer build(const Network& network, Fabric fabric) {
  ns3::NodeContainer nodes;
  nodes.Create(static_cast<std::uint32_t>(network.nodes));
  ns3::InternetStackHelper().Install(nodes);
  ns3::Ipv4AddressGenerator::Reset();
  ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
  for (const Wire& wire : network.wires) {
    ns3::PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", ns3::StringValue(fmt::format("{}Gbps", wire.gbit)));
    constexpr int kPppBytes = 2;
    cable.SetDeviceAttribute("Mtu", ns3::UintegerValue(kPacketBytes - kPppBytes));
    cable.SetChannelAttribute("Delay", ns3::TimeValue(time_of(kWireDelay)));
    cable.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("2p"));  // the port's own
    const ns3::NetDeviceContainer ends =
        cable.Install(nodes.Get(static_cast<std::uint32_t>(wire.from)),
                      nodes.Get(static_cast<std::uint32_t>(wire.to)));
    queues(fabric, wire).Install(ends);
    addresses.Assign(ends);
    addresses.NewNetwork();
  }
  ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  return nodes;
}

}  // namespace

SendTimes packet_times(const TrafficCase& one, Fabric fabric) {
  if (ns3::Time::GetResolution() != ns3::Time::PS) ns3::Time::SetResolution(ns3::Time::PS);
  set_transport(fabric);
  const ns3::NodeContainer nodes = build(one.network, fabric);
  std::vector<std::unique_ptr<Runner>> runners;
  std::uint16_t port = 1000;
  for (const Traffic& traffic : one.traffic) {
    runners.push_back(std::make_unique<Runner>(traffic, nodes, port));
    port = static_cast<std::uint16_t>(port + traffic.connections());
  }
  ns3::Simulator::Run();
  SendTimes times;
  for (const auto& runner : runners) times.push_back(runner->times());
  ns3::Simulator::Destroy();
  return times;
}

}  // namespace simtrain::testing
